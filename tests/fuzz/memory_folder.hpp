#pragma once

/// \file
/// A folder in memory with one file of a given name, for readers that take a folder.

#include "claims.hpp"
#include "memory_file.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include <unistd.h>

namespace widehash::fuzz {

class MemoryFolder {
 public:
  explicit MemoryFolder(const std::string& file_name) {
    char pattern[] = "/dev/shm/widehash-fuzz-XXXXXX";
    require(::mkdtemp(pattern) != nullptr, "a folder can be made in /dev/shm");
    path_ = pattern;
    link_ = path_ + "/" + file_name;
    require(::symlink(file_.path().c_str(), link_.c_str()) == 0, "a link can be made");
  }
  ~MemoryFolder() {
    ::unlink(link_.c_str());
    ::rmdir(path_.c_str());
  }

  void set(std::string_view bytes) { file_.set(bytes); }
  const std::string& path() const { return path_; }

 private:
  MemoryFile file_;
  std::string path_;
  std::string link_;
};

}  // namespace widehash::fuzz
