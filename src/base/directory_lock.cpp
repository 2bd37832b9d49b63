#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

constexpr const char* lock_name = "/.lock";
constexpr const char* members_name = "/.lock-members";

// Removes the members' file if no member is left, and returns whether none is. Where that cannot be found out,
// `problem` is the error of the system.
bool members_are_gone(const std::string& directory, int& problem) {
  const std::string path = directory + members_name;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) {
    problem = errno == ENOENT ? 0 : errno;
    return problem == 0;
  }
  const bool are_gone = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if (are_gone) ::unlink(path.c_str());
  ::close(descriptor);
  return are_gone;
}

// For destructors, after which it is too late for an error.
void clean_up_members(const std::string& directory) {
  int ignored = 0;
  members_are_gone(directory, ignored);
}

std::string content_of(const std::string& path) {
  std::string content(64, '\0');
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const ssize_t bytes = ::pread(descriptor, content.data(), content.size(), 0);
  ::close(descriptor);
  content.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return content;
}

// A file that another host has just written may take a moment to become visible over the network.
bool comes_to_hold(const std::string& path, const std::string& content) {
  constexpr int looks = 50;
  constexpr auto between_looks = std::chrono::milliseconds(100);
  for (int look = 0; look < looks; ++look) {
    if (content_of(path) == content) return true;
    std::this_thread::sleep_for(between_looks);
  }
  return false;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory)
    : FileLock(directory, directory + lock_name), directory_(directory) {
  int problem = 0;
  if (members_are_gone(directory, problem)) return;
  if (problem != 0) throw FileError(directory + members_name, "cannot open", problem);
  throw ConfigError(fmt::format(
      "{}: processes of an earlier run are still shutting down here; start again in a moment", directory));
}

DirectoryLock::~DirectoryLock() { clean_up_members(directory_); }

DirectoryMember::DirectoryMember(const std::string& directory, const std::string& mark)
    : directory_(directory) {
  if (!comes_to_hold(directory + lock_name, mark)) {
    throw ConfigError(
        fmt::format("{}: is not the folder that the other processes of this run write to; all of them must "
                    "see it under the same path",
                    directory));
  }
  const std::string path = directory + members_name;
  struct stat info {};
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw FileError(path, "cannot write", errno);
    if (::flock(descriptor_, LOCK_SH) != 0) {
      const int code = errno;
      ::close(descriptor_);
      throw FileError(path, "cannot lock", code);
    }
    // A member that left between the two calls may have removed the file as the last one.
  } while (::fstat(descriptor_, &info) == 0 && info.st_nlink == 0);
}

DirectoryMember::~DirectoryMember() {
  ::close(descriptor_);
  // After a failure, the process that holds the lock is gone first.
  clean_up_members(directory_);
}

}  // namespace widehash
