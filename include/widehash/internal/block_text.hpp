#pragma once

/// \file
/// The text of a block, as whole rows at a time. A block that is still on disk is read here, on the thread
/// that processes it, in pieces small enough to stay in the L2 cache through all processing.

#include <widehash/internal/block_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace widehash {

class BlockText {
 public:
  static constexpr std::size_t default_piece_bytes = std::size_t{128} << 10;

  /// Both references must outlive the object. `buffer` may be reused for one block after another. Pieces have
  /// about `piece_bytes` bytes.
  BlockText(Block& block, std::string& buffer, std::size_t piece_bytes = default_piece_bytes);

  /// Returns the next rows of the block, each with its line end (only the last row of an input may lack it);
  /// empty at the end, when the block's counts are known. A view is valid until the next call or, for a block
  /// in memory, as long as the block. Throws FileError; DataError for a row longer than max_row_bytes, or if
  /// the file has become shorter.
  std::string_view next();
  /// Must be called at the end with the number of rows read. Throws DataError if a block with cuts
  /// (BlockRange) had another number of rows when it was cut: the file has changed.
  void require_rows(std::uint64_t num_rows) const;

 private:
  std::string_view next_in_memory();
  std::string_view next_cut();
  std::string_view next_on_disk();
  bool seek_first_row();
  void read_more();
  [[noreturn]] void throw_overlong() const;
  std::string_view deliver(const void* last);
  void count(std::string_view rows);
  std::uint64_t position_of(std::size_t index) const noexcept;

  Block& block_;
  std::string& buffer_;
  std::size_t piece_bytes_;
  /// Where the data not yet returned begins: in the buffer (on disk) or in the block's bytes (in memory).
  std::size_t begin_ = 0;
  std::size_t end_ = 0;         // end of the data in the buffer
  std::size_t next_piece_ = 0;  // index in the block's cuts
  std::uint64_t read_ = 0;      // on disk: position of the buffer's end in the file
  bool started_ = false;
  bool done_ = false;
};

/// Reads a block that is still on disk into its `bytes`, for callers that keep views into it.
void load_text(Block& block);

}  // namespace widehash
