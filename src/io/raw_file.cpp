#include "raw_file.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace widehash::detail {
namespace {

// A signal usually ends the wait at once, but another thread may have received it.
constexpr int look_every_ms = 100;

}  // namespace

void throw_has_grown(const std::string& name) {
  throw DataError(
      name, 0,
      "has grown since the run began, so a row may be cut off; start again when nothing is writing to it");
}

void throw_is_shorter(const std::string& name) {
  throw DataError(name, 0,
                  "became shorter while it was being read; start again when nothing is writing to it");
}

void throw_has_changed(const std::string& name) {
  throw DataError(name, 0, "changed while it was being read; start again when nothing is writing to it");
}

RawFile::RawFile(const Input& input, const StopFlag* stop)
    : name_(input.name()), size_bytes_(input.size_bytes), is_stream_(input.is_stream), stop_(stop) {
  if (input.path == "-") {
    descriptor_ = STDIN_FILENO;
  } else {
    // A named pipe would otherwise block here until a program opens it for writing.
    descriptor_ = ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | (is_stream_ ? O_NONBLOCK : 0));
    if (descriptor_ < 0) throw FileError(name_, "cannot open", errno);
    owned_ = true;
  }
  // Only a hint, which pipes decline.
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

RawFile::~RawFile() {
  if (owned_) ::close(descriptor_);
}

RawFile::RawFile(RawFile&& other) noexcept
    : name_(std::move(other.name_)),
      size_bytes_(other.size_bytes_),
      is_stream_(other.is_stream_),
      stop_(other.stop_),
      descriptor_(other.descriptor_),
      owned_(std::exchange(other.owned_, false)),
      peeked_(std::move(other.peeked_)),
      position_(other.position_) {}

std::string_view RawFile::peek(std::size_t count) {
  peeked_.resize(count);
  peeked_.resize(read_descriptor(peeked_));
  return peeked_;
}

std::size_t RawFile::read(std::span<char> buffer) {
  const std::size_t kept = std::min(buffer.size(), peeked_.size());
  std::copy_n(peeked_.begin(), kept, buffer.begin());
  peeked_.erase(0, kept);
  const std::size_t count = kept + read_descriptor(buffer.subspan(kept));
  position_ += count;
  if (is_stream_) return count;
  if (position_ > size_bytes_) throw_has_grown(name_);
  if (count < buffer.size() && position_ < size_bytes_) throw_is_shorter(name_);
  return count;
}

std::uint64_t RawFile::bytes_left() const noexcept {
  return is_stream_ ? std::numeric_limits<std::uint64_t>::max() : size_bytes_ - position_;
}

void RawFile::require_end() {
  char behind = 0;
  if (!peeked_.empty() || read_descriptor({&behind, 1}) > 0) throw_has_grown(name_);
}

std::size_t RawFile::read_descriptor(std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    if (is_stream_) wait_for_bytes();
    const ssize_t count = ::read(descriptor_, buffer.data() + filled, buffer.size() - filled);
    if (count == 0) break;
    if (count > 0) {
      filled += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another process that shares standard input may have made it non-blocking.
      wait_for_bytes();
    } else if (errno != EINTR) {
      throw FileError(name_, "cannot read", errno);
    }
  }
  return filled;
}

/// Returns when there are bytes or the end. A named pipe is not at its end before a program has opened it.
void RawFile::wait_for_bytes() const {
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  for (int ready = 0; ready <= 0;) {
    if (stop_ != nullptr && *stop_) throw Stopped(name_ + ": stopped as asked; start it again");
    ready = ::poll(&waiting, 1, look_every_ms);
    if (ready < 0 && errno != EINTR) throw FileError(name_, "cannot read", errno);
  }
}

}  // namespace widehash::detail
