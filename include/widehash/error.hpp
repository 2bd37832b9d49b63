#pragma once

/// \file
/// The exceptions of the library. Their types are API, their message texts are not. Every message names what
/// is wrong (file, row, key) and what to do about it. The library never prints and never exits.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace widehash {

/// The root: catching it catches everything that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request is wrong: a schema key, an option, a model used with another schema. Fix the request.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// The data is wrong: a bad row, a truncated or altered file. Fix or leave out the named file.
class DataError : public Error {
 public:
  /// `path` is the file, or a name for the source, such as "rows in memory". `row` is the line, row or value
  /// in it, counted from 1; 0 means the whole source.
  DataError(std::string path, std::uint64_t row, const std::string& what);

  const std::string& path() const noexcept { return path_; }
  std::uint64_t row() const noexcept { return row_; }

 private:
  std::string path_;
  std::uint64_t row_;
};

/// The operating system refused: no such file, no permission, no space. `code()` is the errno.
class FileError : public Error {
 public:
  /// The message is "<path>: <action>: <text of code>", plus a hint for known cases (no space, read-only,
  /// missing).
  FileError(std::string path, const std::string& action, int code);

  const std::string& path() const noexcept { return path_; }
  int code() const noexcept { return code_; }

  /// Returns the same error. If the disk is full, the hint to start again is followed by `state`, which
  /// describes how far the work got; only the caller knows that.
  FileError when_full(const std::string& state) const;

 private:
  FileError(const FileError& error, const std::string& state);

  std::string path_;
  int code_;
};

/// The sizes of operands do not fit together.
class ShapeError : public Error {
 public:
  using Error::Error;
};

/// A compute device is missing, out of memory or failed, or the system does not provide the threads asked
/// for.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Another participant of a collective operation is gone or disagrees.
class CommError : public Error {
 public:
  using Error::Error;
};

/// The work stopped at a safe point because its StopFlag was set. The message says what is kept and how to
/// continue.
class Stopped : public Error {
 public:
  using Error::Error;
};

}  // namespace widehash
