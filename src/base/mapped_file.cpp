#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace widehash {

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw FileError(path_, "cannot open", errno);
  struct stat info {};
  int code = 0;
  if (::fstat(descriptor, &info) != 0) {
    code = errno;
  } else if (S_ISDIR(info.st_mode)) {
    code = EISDIR;
  } else if (!S_ISREG(info.st_mode)) {
    ::close(descriptor);
    throw FileError(path_, "not a regular file", EINVAL);
  } else if (info.st_size > 0) {
    size_bytes_ = static_cast<std::size_t>(info.st_size);
    void* address = ::mmap(nullptr, size_bytes_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) {
      code = errno;
    } else {
      data_ = static_cast<const std::byte*>(address);
    }
  }
  ::close(descriptor);
  if (code != 0) throw FileError(path_, "cannot read", code);
}

MappedFile::~MappedFile() { unmap(); }

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_bytes_);
  data_ = nullptr;
  size_bytes_ = 0;
}

void MappedFile::prefetch() const noexcept {
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_bytes_, MADV_WILLNEED);
}

void MappedFile::release_pages() const noexcept {
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_bytes_, MADV_DONTNEED);
}

}  // namespace widehash
