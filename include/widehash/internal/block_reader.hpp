#pragma once

/// \file
/// Cuts an input into blocks of whole rows. Block k holds the rows that begin in the decompressed bytes
/// [k S, (k + 1) S) of the input, where S is `block_bytes` and byte 0 is the first one after a byte order
/// mark. The block of a row depends only on the bytes, not on buffers, threads or ranks, so every run cuts
/// the same shards. A header counts in these positions but belongs to no block. Blocks without rows (inside a
/// header or a row longer than S) are returned, too: an input of n bytes has ceil(n / S) blocks, or none if
/// nothing follows the header.

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

/// Where the rows of a block lie in a plain file. The code that processes the block reads them.
struct BlockRange {
  std::shared_ptr<const detail::RangeFile> file;
  /// If every line end ends a row, these positions suffice: the rows of the block begin in [begin, end), and
  /// not before `first_row`, where a row begins (the end of the header, at least).
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t first_row = 0;
  bool blank_lines_are_rows = false;
  /// Otherwise these positions delimit the rows: the rows extend from the first of them to the last, with
  /// whole rows between any two neighbours.
  std::vector<std::uint64_t> cuts;
};

/// The rows of a block as bytes: whole rows with their line ends. Only the last row of an input may lack its
/// line end.
struct Block {
  std::uint64_t index = 0;      // k
  std::uint64_t num_lines = 0;  // physical lines, including those inside quoted values
  std::uint64_t num_rows = 0;   // counted over the raw bytes, independently of the field parser
  std::uint64_t num_bytes = 0;
  std::string bytes;  // the rows; empty while they are still on disk
  /// Has a file if the rows are still on disk; without `cuts`, BlockText sets the counts above.
  BlockRange range;
  bool lines_are_rows = false;  // no line end stands inside a value
};

class BlockReader {
 public:
  /// With `has_header`, the first row is the header, which belongs to no block and is returned by
  /// header_fields(). `blank_lines_are_rows` must be set exactly if rows have a single field (see
  /// dialect.hpp). Throws FileError; DataError if an input with a header has none (empty file); ConfigError
  /// for blocks of 0 bytes.
  BlockReader(const Input& input, const Dialect& dialect, bool has_header, std::uint64_t block_bytes,
              bool blank_lines_are_rows = false);
  /// Reads from `source`; messages show `name` as the path.
  BlockReader(std::unique_ptr<ByteSource> source, const std::string& name, const Dialect& dialect,
              bool has_header, std::uint64_t block_bytes, bool blank_lines_are_rows = false);
  ~BlockReader();
  BlockReader(BlockReader&&) noexcept;
  BlockReader& operator=(BlockReader&&) noexcept;

  /// If `input`, which the reader was made from, is a plain file, leaves its rows there: from now on blocks
  /// are ranges, and the code that processes a block reads it with BlockText. In a quoted dialect, finding
  /// the ranges requires reading the input in order. Returns true if it does not, because every line end ends
  /// a row. Must be called before the first block.
  bool leave_on_disk(const Input& input);
  /// Whether blocks are ranges.
  bool is_on_disk() const noexcept;

  /// Fields of the header; empty if there is none.
  const std::vector<std::string>& header_fields() const noexcept;

  /// Sets `block` to the next block, or returns false at the end. `block.bytes` is reused. Throws FileError
  /// or DataError (truncated compressed data, a row longer than max_row_bytes, an unterminated quote); after
  /// that the reader is unusable. Memory: the block unless it is a range, the longest row, and less than
  /// 1 MiB.
  bool next(Block& block);

  /// Physical lines before the first block: the header and what precedes it.
  std::uint64_t header_lines() const noexcept;
  /// Same as ByteSource::position().
  std::uint64_t position() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
