#pragma once

/// \file
/// A folder whose files nobody keeps, such as the one in which an estimator trains: what is written below it is not
/// flushed to the disk, and so goes with a power cut. All else is as everywhere: whole files appear by a rename.
/// Without it fits of some thousand rows wait for the disk in place of working (docs/python.md).

#include <string>

namespace widehash {

/// For its life, and for the whole process.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& path);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

 private:
  std::string path_;
};

/// Whether a file or folder lies in a scratch folder, or is one. Cost: nothing to speak of where there is none.
bool is_scratch(const std::string& path);

}  // namespace widehash
