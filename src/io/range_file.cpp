#include "range_file.hpp"

#include "raw_file.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/byte_source.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace widehash::detail {

RangeFile::RangeFile(const std::string& path, std::uint64_t size_bytes) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw FileError(path_, "cannot open", errno);
  std::array<char, byte_order_mark.size()> start{};
  // A mark that was not read would be taken for text, so errors are reported and short reads continued.
  for (std::size_t have = 0; have < start.size();) {
    const auto count =
        ::pread(descriptor_, start.data() + have, start.size() - have, static_cast<off_t>(have));
    if (count == 0) break;
    if (count > 0) {
      have += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      const int code = errno;
      ::close(descriptor_);
      throw FileError(path_, "cannot read", code);
    }
  }
  if (std::string_view(start.data(), start.size()) == byte_order_mark) mark_bytes_ = start.size();
  size_bytes_ = size_bytes - std::min(size_bytes, mark_bytes_);
}

RangeFile::~RangeFile() { ::close(descriptor_); }

void RangeFile::read(std::uint64_t position, std::span<char> buffer) const {
  while (!buffer.empty()) {
    const auto count =
        ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(mark_bytes_ + position));
    if (count < 0) {
      if (errno == EINTR) continue;
      throw FileError(path_, "cannot read", errno);
    }
    if (count == 0) throw_is_shorter(path_);
    buffer = buffer.subspan(static_cast<std::size_t>(count));
    position += static_cast<std::uint64_t>(count);
  }
}

void RangeFile::require_end() const {
  char behind = 0;
  const auto position = static_cast<off_t>(mark_bytes_ + size_bytes_);
  ssize_t count = 0;
  while ((count = ::pread(descriptor_, &behind, 1, position)) < 0 && errno == EINTR) {
  }
  if (count < 0) throw FileError(path_, "cannot read", errno);
  if (count > 0) throw_has_grown(path_);
}

std::uint64_t RangeFile::lines_before(std::uint64_t position) const {
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t lines = 0;
  for (std::uint64_t at = 0; at < position; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), position - at));
    read(at, piece);
    lines += static_cast<std::uint64_t>(std::count(piece.begin(), piece.end(), '\n'));
  }
  return lines;
}

}  // namespace widehash::detail
