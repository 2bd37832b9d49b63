#include <widehash/error.hpp>
#include <widehash/internal/move_file.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace widehash {

void move_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw FileError(to, "cannot put the file in place", errno);
}

bool remove_file(const std::string& path) {
  std::error_code failure;
  const bool was_there = std::filesystem::remove(path, failure);
  if (failure) throw FileError(path, "cannot remove", failure.value());
  return was_there;
}

}  // namespace widehash
