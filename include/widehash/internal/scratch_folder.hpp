#pragma once

/// \file
/// A folder whose files nobody keeps, such as the one in which an estimator trains. What is written below it
/// is not flushed to disk and may be lost in a power failure. Everything else is as usual: complete files
/// appear by a rename. Without it, fits of a few thousand rows mostly wait for the disk (docs/python.md).

#include <string>

namespace widehash {

/// Marks `path` as a scratch folder for the life of the object, in the whole process.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& path);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

 private:
  std::string path_;
};

/// Whether a file or folder is, or lies in, a scratch folder. Costs next to nothing if there is no scratch
/// folder.
bool is_scratch(const std::string& path);

}  // namespace widehash
