#pragma once

/// \file
/// A file without a disk, for readers that take a path.

#include "claims.hpp"

#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace widehash::fuzz {

class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "there is memory for a file");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void set(std::string_view bytes) {
    require(::ftruncate(descriptor_, static_cast<off_t>(bytes.size())) == 0 &&
                ::pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
            "a file in memory can be written");
  }

  static constexpr const char* folder = "/proc/self/fd";
  std::string name() const { return std::to_string(descriptor_); }
  std::string path() const { return std::string(folder) + "/" + name(); }

 private:
  int descriptor_;
};

}  // namespace widehash::fuzz
