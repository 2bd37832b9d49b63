#pragma once

/// \file
/// A plain file that several threads read at places of their own.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace widehash::detail {

/// What is read of one at a time: it stays in the second cache through everything that is done to it.
inline constexpr std::size_t piece_bytes = std::size_t{128} << 10;

class RangeFile {
 public:
  /// Positions count from the byte after a byte order mark, as those of blocks do. Throws FileError.
  RangeFile(const std::string& path, std::uint64_t size_bytes);
  ~RangeFile();
  RangeFile(const RangeFile&) = delete;
  RangeFile& operator=(const RangeFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Bytes after the mark when the file's size was taken; whole rows that are appended later are left alone.
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  /// Fills `buffer` from `position` on. Throws FileError; DataError where the file has become shorter.
  void read(std::uint64_t position, std::span<char> buffer) const;
  /// Throws DataError where something stands behind size_bytes() now.
  void require_end() const;
  /// Line ends before `position`: for messages, by reading everything.
  std::uint64_t lines_before(std::uint64_t position) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t mark_bytes_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace widehash::detail
