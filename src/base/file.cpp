#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;

std::string read_text_file(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void make_directories(const std::string& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (failure) throw FileError(path, "cannot make the folder", failure.value());
  if (!fs::is_directory(path)) throw FileError(path, "cannot make the folder", ENOTDIR);
}

std::uint64_t file_size_bytes(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw FileError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw FileError(path, "cannot read", EISDIR);
  if (!S_ISREG(info.st_mode)) throw FileError(path, "not a regular file", EINVAL);
  return static_cast<std::uint64_t>(info.st_size);
}

bool file_exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

void sync_directory(const std::string& path) {
  const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw FileError(path, "cannot open the folder", errno);
  const int result = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder and say EINVAL; there the rename is as durable as it gets.
  if (result != 0 && code != EINVAL) throw FileError(path, "cannot flush the folder", code);
}

}  // namespace widehash
