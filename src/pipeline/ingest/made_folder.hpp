#pragma once

/// \file
/// The folder of an output that may never be written.

#include <string>
#include <vector>

namespace widehash {

/// Makes a folder, and its parents, where they do not exist. The destructor removes the folders that it made,
/// if they are empty. Throws FileError.
class MadeFolder {
 public:
  explicit MadeFolder(const std::string& path);
  ~MadeFolder();
  MadeFolder(const MadeFolder&) = delete;
  MadeFolder& operator=(const MadeFolder&) = delete;

 private:
  std::vector<std::string> made_;  // innermost first
};

}  // namespace widehash
