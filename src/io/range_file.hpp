#pragma once

/// \file
/// A plain file that several threads read, each at its own position.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace widehash::detail {

/// Bytes that are read at a time: they stay in the L2 cache through everything that is done to them.
inline constexpr std::size_t piece_bytes = std::size_t{128} << 10;

class RangeFile {
 public:
  /// Positions count from the byte after a byte order mark, as positions of blocks do. Throws FileError.
  RangeFile(const std::string& path, std::uint64_t size_bytes);
  ~RangeFile();
  RangeFile(const RangeFile&) = delete;
  RangeFile& operator=(const RangeFile&) = delete;

  const std::string& path() const noexcept { return path_; }
  /// Bytes after the mark when the file's size was taken; whole rows that are appended later are ignored.
  std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  /// Fills `buffer` from `position` on. Throws FileError, or DataError if the file has become shorter.
  void read(std::uint64_t position, std::span<char> buffer) const;
  /// Throws DataError if the file now extends past size_bytes().
  void require_end() const;
  /// Returns the number of line ends before `position`, for messages. Cost: reads everything before it.
  std::uint64_t lines_before(std::uint64_t position) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t mark_bytes_ = 0;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace widehash::detail
