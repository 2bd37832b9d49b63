#pragma once

/// \file
/// The exceptions of the library. Types are API, message texts are not. Every message names the thing that is
/// wrong (file, row, key) and what to do about it. The library never prints and never exits.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace widehash {

/// The root: catching this catches everything the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What was asked for is wrong: a schema key, an option, a model used with another schema. Fix the request.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// The data is wrong: a bad row, a cut or altered file. Fix or leave out the named file.
class DataError : public Error {
 public:
  /// `path` is the file, or what stands for one, such as "rows in memory". `row` is the line, row or value in it
  /// that is meant, counted from 1; 0 where it is the whole.
  DataError(std::string path, std::uint64_t row, const std::string& what);

  const std::string& path() const noexcept { return path_; }
  std::uint64_t row() const noexcept { return row_; }

 private:
  std::string path_;
  std::uint64_t row_;
};

/// The operating system refused: no such file, no permission, no space. `code()` is its errno.
class FileError : public Error {
 public:
  /// Message: "<path>: <action>: <text of code>" and a hint where one is known (no space, read-only,
  /// missing).
  FileError(std::string path, const std::string& action, int code);

  const std::string& path() const noexcept { return path_; }
  int code() const noexcept { return code_; }

  /// The same error. Where the disk is full, its hint to start again goes on with `state`: what there is then
  /// of the work, which only those know who did it.
  FileError when_full(const std::string& state) const;

 private:
  FileError(const FileError& error, const std::string& state);

  std::string path_;
  int code_;
};

/// Operands whose sizes do not fit together.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A compute device is missing, out of memory or failed, or the system does not give the threads asked for.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Another participant of a collective is gone or disagrees.
class CommError : public Error {
 public:
  using Error::Error;
};

/// The work ended because its StopFlag was set, at a sound point. The message says what is kept and how to go
/// on.
class Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace widehash
