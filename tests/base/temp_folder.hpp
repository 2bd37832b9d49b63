#pragma once

/// \file
/// A temporary folder for one test, removed when the object is destroyed.

#include <filesystem>
#include <string>
#include <system_error>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace widehash::test {

class TempFolder {
 public:
  TempFolder() : path_(testing::TempDir() + "widehash-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "cannot make " << path_;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::size_t num_entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::string path_;
};

}  // namespace widehash::test
