#pragma once

/// \file
/// Cuts an input into blocks of whole rows. Block k holds the rows that begin in the decompressed bytes
/// [k S, (k + 1) S) of the input, S being `block_bytes`; byte 0 is the first after a byte order mark. Where a
/// row belongs depends on the bytes alone, not on buffers, threads or ranks: that is what makes every run cut
/// the same shards. A header takes part in the positions and belongs to no block. A block without rows
/// (inside a header or a row longer than S) is given too: an input of n bytes has ceil(n / S) blocks, or none
/// where nothing follows the header.

#include <widehash/dialect.hpp>
#include <widehash/internal/byte_source.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash {

namespace detail {
class RangeFile;
}

/// Where the rows of a block lie in a plain file: whoever works on the block reads them.
struct BlockRange {
  std::shared_ptr<const detail::RangeFile> file;
  /// Where each line end ends a row, nothing more has to be known.
  std::uint64_t begin = 0;  // the block's rows begin in [begin, end) ...
  std::uint64_t end = 0;
  std::uint64_t first_row =
      0;  // ... and not before here, where a row begins: the end of the header, at least
  bool blank_lines_are_rows = false;
  /// Else these tell all: the rows stand from the first of these places to the last, and between two of them
  /// stand whole rows.
  std::vector<std::uint64_t> cuts;
};

/// Rows as bytes. Whole rows with their line ends; only the last row of an input may lack its own.
struct Block {
  std::uint64_t index = 0;      // k
  std::uint64_t num_lines = 0;  // physical lines, those inside quoted values too
  std::uint64_t num_rows = 0;   // counted over the raw bytes, apart from the parser of fields
  std::uint64_t num_bytes = 0;
  std::string bytes;  // the rows; empty while they are still on disk
  BlockRange range;   // with a file where the rows are still on disk; without cuts BlockText makes the counts
  bool lines_are_rows = false;  // no line end stands inside a value
};

class BlockReader {
 public:
  /// With `has_header` the first row is taken as the header, is part of no block, and is given by
  /// header_fields(). `blank_lines_are_rows` must be set exactly where rows have a single field (see
  /// dialect.hpp). Throws FileError; DataError where an input with a header has none (empty file);
  /// ConfigError for blocks of 0 bytes.
  BlockReader(const Input& input, const Dialect& dialect, bool has_header, std::uint64_t block_bytes,
              bool blank_lines_are_rows = false);
  /// Reads from `source`; `name` stands in messages where a path would.
  BlockReader(std::unique_ptr<ByteSource> source, const std::string& name, const Dialect& dialect,
              bool has_header, std::uint64_t block_bytes, bool blank_lines_are_rows = false);
  ~BlockReader();
  BlockReader(BlockReader&&) noexcept;
  BlockReader& operator=(BlockReader&&) noexcept;

  /// Leaves the rows of `input`, which the reader was made from, where they are, if it is a plain file: from
  /// now on blocks are ranges, and whoever works on a block reads it with BlockText. In a quoted dialect it
  /// takes reading in order to find them. True where it takes none: where every line end ends a row. To be
  /// called before the first block.
  bool leave_on_disk(const Input& input);
  /// Whether blocks are ranges.
  bool is_on_disk() const noexcept;

  /// Fields of the header; empty without one.
  const std::vector<std::string>& header_fields() const noexcept;

  /// Gives the next block; false at the end. `block.bytes` is reused. Throws FileError or DataError (cut
  /// compressed data, a row longer than max_row_bytes, a quote that is never closed); after that the reader
  /// is of no more use. Memory: the block, where it is no range, the longest row, and less than 1 MiB.
  bool next(Block& block);

  /// Physical lines before the first block: the header and what stands in front of it.
  std::uint64_t header_lines() const noexcept;
  /// As ByteSource::position().
  std::uint64_t position() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
