#pragma once

/// \file
/// All that is wrong with a set of files, where whoever reads it goes on behind the first damaged one.

#include <widehash/error.hpp>

#include <exception>
#include <string>
#include <vector>

namespace widehash {

/// More than one thing is wrong with a dataset or with lookup tables. As an error it is that of the first
/// file.
class DamagedFiles : public DataError {
 public:
  /// `what` is wrong with the first file, `path`; `problems` are the messages of all, this one among them.
  DamagedFiles(std::string path, const std::string& what, std::vector<std::string> problems);

  /// A message each, with the path in front, in the order of the files.
  const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// What is wrong with one file, or with several where the error is DamagedFiles.
struct Damage {
  /// Of the exception that is being handled, about `path` or something in it: a DataError or FileError as it
  /// is; another Error as a DataError, since what would be a wrong request of others is what verification is
  /// to find. Rethrows Stopped.
  static Damage at(const std::string& path);

  std::string path;
  std::vector<std::string> messages;
  std::exception_ptr error;
};

/// Throws the error where there is one, DamagedFiles where there are more; `of` ("the dataset") is for its
/// message.
void throw_damage(const std::vector<Damage>& damage, const std::string& of);

}  // namespace widehash
