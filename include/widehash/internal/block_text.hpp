#pragma once

/// \file
/// The text of a block, whole rows at a time. A block that is still on disk is read here, by whoever works on
/// it, in pieces that stay in the second cache through everything that is done to them.

#include <widehash/internal/block_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace widehash {

class BlockText {
 public:
  static constexpr std::size_t default_piece_bytes = std::size_t{128} << 10;

  /// Both must outlive the object. `buffer` may be used for one block after another. Pieces have about as many
  /// bytes as are asked for.
  BlockText(Block& block, std::string& buffer, std::size_t piece_bytes = default_piece_bytes);

  /// The next rows of the block, each with its line end (only the last of an input may lack it); empty at
  /// the end, when the block's counts are known. Views hold until the next call, or, for a block in memory,
  /// as long as the block. Throws FileError; DataError for a row longer than max_row_bytes, or where the file
  /// has become shorter.
  std::string_view next();
  /// To be told at the end how many rows were read. Throws DataError where a block that was cut (BlockRange)
  /// had others then: the file has changed.
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
  std::size_t begin_ = 0;  // in the buffer (on disk) or the block's bytes (in memory): what is not yet given
  std::size_t end_ = 0;    // end of what the buffer holds
  std::size_t next_piece_ = 0;  // of those that were cut
  std::uint64_t read_ = 0;      // on disk: position of the buffer's end in the file
  bool started_ = false;
  bool done_ = false;
};

/// Reads a block that is still on disk into its `bytes`, where views into it hold.
void load_text(Block& block);

}  // namespace widehash
