#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/scratch_folder.hpp>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace fs = std::filesystem;
namespace {

fs::file_type type_of(const std::string& path) {
  std::error_code failure;
  const fs::file_type type = fs::status(path, failure).type();
  if (type == fs::file_type::none) throw FileError(path, "cannot access it", failure.value());
  return type;
}

/// Identifies the file at the end of links; nothing if no file is there.
std::optional<std::pair<dev_t, ino_t>> id_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return std::pair(info.st_dev, info.st_ino);
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw FileError(path, "cannot access it", errno);
}

/// Reads to the end, since a pipe does not report its size in advance.
std::string read_and_close(int descriptor, const std::string& path, std::size_t most_bytes) {
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t count = 0;
  do {
    count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  } while ((count > 0 && text.size() <= most_bytes) || (count < 0 && errno == EINTR));
  const int code = count < 0 ? errno : 0;
  ::close(descriptor);
  if (code != 0) throw FileError(path, "cannot read", code);
  if (text.size() > most_bytes)
    throw DataError(path, 0, "is larger than such a file ever is; name another file");
  return text;
}

}  // namespace

std::string read_text_file(const std::string& path) {
  // A named pipe would otherwise block here until a program opens it for writing.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw FileError(path, "cannot open", errno);
  struct stat info {};
  const bool is_known = ::fstat(descriptor, &info) == 0;
  if (is_known && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
    return read_and_close(descriptor, path, std::size_t{1} << 30);
  ::close(descriptor);
  throw FileError(path, "not a regular file", EINVAL);
}

std::string read_user_text(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw FileError(path, "cannot open", errno);
  return read_and_close(descriptor, path, std::size_t{64} << 20);
}

void write_text_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void make_directories(const std::string& path) {
  if (path.empty()) throw ConfigError("the name of the folder to create is empty; name one");
  std::error_code failure;
  if (fs::is_symlink(path, failure) && !fs::exists(path, failure)) {
    throw ConfigError(path + ": is a broken link; create the folder it points to, or remove it");
  }
  fs::create_directories(path, failure);
  if (failure) throw FileError(path, "cannot create the folder", failure.value());
  if (!is_folder(path)) throw FileError(path, "cannot create the folder", ENOTDIR);
}

std::uint64_t file_size_bytes(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) throw FileError(path, "cannot open", errno);
  if (S_ISDIR(info.st_mode)) throw FileError(path, "cannot read", EISDIR);
  if (!S_ISREG(info.st_mode)) throw FileError(path, "not a regular file", EINVAL);
  return static_cast<std::uint64_t>(info.st_size);
}

std::vector<std::string> list_directory(const std::string& path) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator item(path, failure), end; !failure && item != end; item.increment(failure))
    names.push_back(item->path().filename().string());
  if (failure) throw FileError(path, "cannot list the folder", failure.value());
  return names;
}

std::string fixed_path(const std::string& path) {
  if (path.empty()) return path;
  if (path.find('\0') != std::string::npos)
    throw ConfigError(path.substr(0, path.find('\0')) +
                      ": the path contains a zero byte; end it before that");
  std::error_code failure;
  std::string fixed = fs::absolute(path, failure).string();
  if (failure) throw FileError(path, "cannot find the working directory", failure.value());
  return fixed;
}

bool file_exists(const std::string& path) { return type_of(path) != fs::file_type::not_found; }

bool is_folder(const std::string& path) { return type_of(path) == fs::file_type::directory; }

bool is_same_file(const std::string& a, const std::string& b) {
  const auto id = id_of(a);
  return id && id == id_of(b);
}

namespace {

/// Calls use(descriptor) on each file. `use` returns 0 or fails as system calls do.
template <class Use>
void for_each_file(const std::string& directory, const std::vector<std::string>& names, const Use& use) {
  for (const std::string& name : names) {
    const std::string path = in_folder(directory, name);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw FileError(path, "cannot open", errno);
    const int result = use(descriptor);
    const int code = errno;
    ::close(descriptor);
    if (result != 0) throw FileError(path, "cannot flush", code);
  }
}

}  // namespace

void flush_files(const std::string& directory, const std::vector<std::string>& names) {
  if (is_scratch(directory)) return;
  if (names.size() > 1) {
    for_each_file(directory, names, [](int descriptor) {
      // Where the file system does not support this call, the flush below does all the work.
      (void)::sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
      return 0;
    });
  }
  for_each_file(directory, names, [](int descriptor) { return ::fsync(descriptor); });
  sync_directory(directory);
}

void sync_directory(const std::string& path) {
  if (is_scratch(path)) return;
  const int descriptor = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) throw FileError(path, "cannot open the folder", errno);
  const int result = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  // Some network file systems cannot sync a folder and report EINVAL; there the rename is as durable as it
  // gets.
  if (result != 0 && code != EINVAL) throw FileError(path, "cannot flush the folder", code);
}

}  // namespace widehash
