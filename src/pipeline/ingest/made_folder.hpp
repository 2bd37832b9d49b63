#pragma once

/// \file
/// The folder of an output that may come to nothing.

#include <string>
#include <vector>

namespace widehash {

/// Makes a folder, and its parents, where they are not there yet; at its end those that it made are removed
/// where they are empty. Throws FileError.
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
