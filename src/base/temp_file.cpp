#include <widehash/error.hpp>
#include <widehash/internal/temp_file.hpp>
#include <widehash/internal/write_all.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace widehash {
namespace {

/// Whether open() failed with `error` because the file system, or the kernel, has no files without a name.
bool has_no_nameless_files(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == ENOSYS || error == ENOENT;
}

int open_nameless(const std::string& directory) {
  // The file never has a name, so a process killed here leaves nothing behind.
  int descriptor = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0 && has_no_nameless_files(errno)) {
    std::string path = directory + "/.widehash-scratch-XXXXXX";
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(path.c_str());
  }
  if (descriptor < 0) throw FileError(directory, "cannot create a scratch file here", errno);
  return descriptor;
}

void write_scratch(int descriptor, std::span<const std::byte> bytes, const std::string& directory) {
  if (const int code = write_all(descriptor, bytes); code != 0)
    throw FileError(directory, "cannot write a scratch file here", code);
}

}  // namespace

TempFile::TempFile(std::string directory, std::size_t buffer_bytes)
    : directory_(std::move(directory)), buffer_bytes_(buffer_bytes) {}

TempFile::~TempFile() { close(); }

TempFile::TempFile(TempFile&& other) noexcept
    : directory_(std::move(other.directory_)),
      buffer_bytes_(other.buffer_bytes_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      flushed_bytes_(std::exchange(other.flushed_bytes_, 0)),
      buffer_(std::move(other.buffer_)) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  if (this != &other) {
    close();
    directory_ = std::move(other.directory_);
    buffer_bytes_ = other.buffer_bytes_;
    descriptor_ = std::exchange(other.descriptor_, -1);
    flushed_bytes_ = std::exchange(other.flushed_bytes_, 0);
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

void TempFile::close() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void TempFile::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (buffer_.size() + bytes.size() > buffer_bytes_) flush();
  if (bytes.size() >= buffer_bytes_) {
    if (descriptor_ < 0) descriptor_ = open_nameless(directory_);
    write_scratch(descriptor_, bytes, directory_);
    flushed_bytes_ += bytes.size();
    return;
  }
  if (buffer_.capacity() == 0) buffer_.reserve(buffer_bytes_);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void TempFile::flush() {
  if (buffer_.empty()) return;
  if (descriptor_ < 0) descriptor_ = open_nameless(directory_);
  write_scratch(descriptor_, buffer_, directory_);
  flushed_bytes_ += buffer_.size();
  buffer_.clear();
}

void TempFile::release_buffer() {
  flush();
  buffer_ = {};
}

void TempFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty() && offset < flushed_bytes_) {
    const auto wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), flushed_bytes_ - offset));
    const auto got = ::pread(descriptor_, bytes.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw FileError(directory_, "cannot read a scratch file back", got < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  if (!bytes.empty()) std::memcpy(bytes.data(), buffer_.data() + (offset - flushed_bytes_), bytes.size());
}

}  // namespace widehash
