#pragma once

/// \file
/// The folder of an output that may never be written.

#include <string>
#include <utility>
#include <vector>

namespace widehash {

/// Makes a folder, and its parents, where they do not exist. The destructor removes the folders that it made,
/// if they are empty. Throws FileError.
class MadeFolder {
 public:
  explicit MadeFolder(const std::string& path);
  /// For folders that another process made.
  explicit MadeFolder(std::vector<std::string> made) : made_(std::move(made)) {}
  ~MadeFolder();
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;

  const std::vector<std::string>& made() const noexcept { return made_; }

 private:
  std::vector<std::string> made_;  // innermost first
};

}  // namespace widehash
