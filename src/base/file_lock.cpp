#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/write_all.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <random>
#include <span>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

// A holder writes its process number right after it takes the lock. A process that comes in between waits
// this long for the number.
constexpr int holder_looks = 200;
constexpr auto holder_wait = std::chrono::milliseconds(1);

std::string holder_of(int descriptor) {
  for (int look = 0; look < holder_looks; ++look) {
    std::array<char, 32> holder{};
    if (::pread(descriptor, holder.data(), holder.size() - 1, 0) > 0) {
      const std::string_view mark = holder.data();
      return std::string(mark.substr(0, mark.find('\n')));
    }
    std::this_thread::sleep_for(holder_wait);
  }
  return "unknown";
}

/// Whether `content` is the start of a lock file, which can be removed without loss: numbers, or nothing yet.
bool is_lock(std::string_view content, std::size_t longest) {
  return content.size() < longest &&
         std::ranges::all_of(content, [](char c) { return (c >= '0' && c <= '9') || c == '\n'; });
}

std::string new_mark() {
  std::random_device random;
  return fmt::format("{}\n{}", ::getpid(), random());
}

[[noreturn]] void refuse_other_file(const std::string& place, const std::string& path) {
  throw ConfigError(
      fmt::format("{}: is locked by {} while it is written, but another file has that name; move it away, or "
                  "choose another place",
                  place, path));
}

// Opens and locks the file. Returns false if the lock came a moment too late: the run that held it has
// since removed the file.
bool try_lock(const std::string& place, const std::string& path, int& descriptor) {
  descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0 && (errno == ELOOP || errno == EISDIR)) refuse_other_file(place, path);
  if (descriptor < 0) throw FileError(place, "cannot write", errno);
  std::array<char, 32> content{};
  const ::ssize_t bytes = ::pread(descriptor, content.data(), content.size(), 0);
  if (bytes < 0) {
    const int code = errno;
    ::close(descriptor);
    throw FileError(place, "cannot lock", code);
  }
  if (!is_lock({content.data(), static_cast<std::size_t>(bytes)}, content.size())) {
    ::close(descriptor);
    refuse_other_file(place, path);
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    const std::string holder = code == EWOULDBLOCK ? holder_of(descriptor) : "";
    ::close(descriptor);
    if (code != EWOULDBLOCK) throw FileError(place, "cannot lock", code);
    if (holder == std::to_string(::getpid())) {
      throw ConfigError(
          fmt::format("{}: another run in this same process (process {}) is writing here; end it first, or "
                      "choose another place",
                      place, holder));
    }
    throw ConfigError(fmt::format(
        "{}: another run (process {}) is writing here; wait for it, or choose another place", place, holder));
  }
  struct stat mine {};
  struct stat named {};
  if (::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
      mine.st_ino == named.st_ino)
    return true;
  ::close(descriptor);
  return false;
}

}  // namespace

std::string lock_path_of(const std::string& path) { return behind_links(path) + ".lock"; }

FileLock::FileLock(const std::string& place, std::string lock_path)
    : lock_path_(std::move(lock_path)), mark_(new_mark()) {
  while (!try_lock(place, lock_path_, descriptor_)) {
  }
  int code = ::ftruncate(descriptor_, 0) != 0 ? errno : 0;
  if (code == 0) code = write_all(descriptor_, std::as_bytes(std::span(mark_)));
  if (code != 0) {
    ::unlink(lock_path_.c_str());
    ::close(descriptor_);
    throw FileError(place, "cannot write", code);
  }
}

FileLock::~FileLock() {
  ::unlink(lock_path_.c_str());
  ::close(descriptor_);
}

}  // namespace widehash
