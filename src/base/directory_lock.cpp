#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {
namespace {

// Opens and locks the file. False where it was locked a moment too late: the run that held it has removed it since.
bool try_lock(const std::string& directory, const std::string& path, int& descriptor) {
  descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw FileError(path, "cannot write", errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    std::array<char, 32> holder{};
    const auto count = ::pread(descriptor, holder.data(), holder.size() - 1, 0);
    ::close(descriptor);
    if (code != EWOULDBLOCK) throw FileError(path, "cannot lock", code);
    throw ConfigError(
        fmt::format("{}: another run (process {}) is writing here; wait for it, or choose another folder",
                    directory, count > 0 ? holder.data() : "unknown"));
  }
  struct stat mine {};
  struct stat named {};
  if (::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino)
    return true;
  ::close(descriptor);
  return false;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory) : path_(directory + "/.lock") {
  while (!try_lock(directory, path_, descriptor_)) {
  }
  const std::string me = std::to_string(::getpid());
  // Only a message to a second run depends on these bytes.
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, me.data(), me.size(), 0) < 0) {
    const int code = errno;
    ::close(descriptor_);
    throw FileError(path_, "cannot write", code);
  }
}

DirectoryLock::~DirectoryLock() {
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace widehash
