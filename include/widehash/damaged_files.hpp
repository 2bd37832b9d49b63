#pragma once

/// \file
/// Reports everything that is wrong with a set of files, for verification that continues after the first
/// damaged file.

#include <widehash/error.hpp>

#include <exception>
#include <string>
#include <vector>

namespace widehash {

/// Thrown if more than one thing is wrong with a dataset or with lookup tables. As a DataError it reports the
/// first file.
class DamagedFiles : public DataError {
 public:
  /// `path` is the first damaged file and `what` describes its damage. `problems` are the messages of all
  /// damage, including that of the first file.
  DamagedFiles(std::string path, const std::string& what, std::vector<std::string> problems);

  /// One message per problem, prefixed with its path, in the order of the files.
  const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  std::vector<std::string> problems_;
};

/// What is wrong with one file, or with several if the error is DamagedFiles.
struct Damage {
  /// Makes a Damage from the exception being handled, which concerns `path` or something in it. Keeps a
  /// DataError or FileError as it is. Converts any other Error to a DataError, because what would be a bad
  /// request elsewhere is damage that verification is meant to find. Rethrows Stopped.
  static Damage at(const std::string& path);

  std::string path;
  std::vector<std::string> messages;
  std::exception_ptr error;
};

/// Throws the error of `damage` if there is one, and DamagedFiles if there are several. `of` ("the dataset")
/// is used in its message. Does nothing if `damage` is empty.
void throw_damage(const std::vector<Damage>& damage, const std::string& of);

}  // namespace widehash
