#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/scratch_folder.hpp>
#include <widehash/internal/write_all.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {

std::string behind_links(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // the system's own limit
  fs::path place = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code is_no_link;
    const fs::path next = fs::read_symlink(place, is_no_link);
    if (is_no_link) return place.string();
    place = place.parent_path() / next;  // gives `next` itself if that is absolute
  }
  throw FileError(path, "cannot follow the links", ELOOP);
}

std::string aside_path_of(const std::string& path) { return behind_links(path) + ".tmp"; }

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), place_(behind_links(path_)), aside_path_(aside_path_of(place_)) {
  struct stat there {};
  const bool is_there = ::stat(place_.c_str(), &there) == 0;
  // Otherwise only the rename would report it, after all the work is done.
  if (is_there && S_ISDIR(there.st_mode)) throw ConfigError(path_ + ": is a folder; give the path of a file");
  // A reader of the pipe would wait forever, and a device would be replaced by a file.
  if (is_there && !S_ISREG(there.st_mode))
    throw ConfigError(path_ + ": is not a file and would be overwritten; give the path of a file");
  // Opening a link would overwrite the file that it leads to, and the rename would put the link in place of
  // the new file; opening a pipe would block. A device has nothing to lose.
  struct stat aside {};
  struct stat behind {};
  const bool is_plain = ::lstat(aside_path_.c_str(), &aside) != 0 || S_ISREG(aside.st_mode);
  const bool is_device = ::stat(aside_path_.c_str(), &behind) == 0 && S_ISCHR(behind.st_mode);
  if (!is_plain && !is_device) {
    throw ConfigError(
        fmt::format("{}: is first written as {}, but that exists and is not a regular file; move it away",
                    path_, aside_path_));
  }
  descriptor_ = ::open(aside_path_.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | (is_device ? 0 : O_NOFOLLOW), 0666);
  if (descriptor_ < 0) throw FileError(path_, "cannot write", errno);
  // Keeps the permissions of the file that is replaced. A file system without permissions has none to keep.
  // Until the end the owner may write, so that the next run can replace the file if this one is killed.
  if (is_there) (void)::fchmod(descriptor_, (there.st_mode & 0777) | S_IWUSR);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      aside_path_(std::move(other.aside_path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_written_(other.bytes_written_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(aside_path_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (const int code = write_all(descriptor_, bytes); code != 0) throw FileError(path_, "cannot write", code);
  bytes_written_ += bytes.size();
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::commit(Flush flush) {
  if (is_scratch(place_)) flush = Flush::later;
  struct stat there {};
  if (::stat(place_.c_str(), &there) == 0 && S_ISREG(there.st_mode) && (there.st_mode & S_IWUSR) == 0)
    (void)::fchmod(descriptor_, there.st_mode & 0777);
  if (flush == Flush::now && ::fsync(descriptor_) != 0) throw FileError(path_, "cannot flush", errno);
  // close() reports a late write error on network file systems.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    const int code = errno;
    ::unlink(aside_path_.c_str());
    throw FileError(path_, "cannot close", code);
  }
  if (std::rename(aside_path_.c_str(), place_.c_str()) != 0) {
    const int code = errno;
    ::unlink(aside_path_.c_str());
    throw FileError(path_, "cannot put the file in place", code);
  }
  if (flush == Flush::now) sync_directory(std::filesystem::path(place_).parent_path().string());
}

}  // namespace widehash
