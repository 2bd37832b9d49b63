#pragma once

/// \file
/// A block's rows, a tile at a time: small enough that fields and codes stay in cache between parsing and
/// encoding.

#include "input_blocks.hpp"
#include "rejected_rows.hpp"

#include <widehash/checksum.hpp>
#include <widehash/encoder.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace widehash {

/// Memory of one thread that works on block after block.
struct TileBuffers {
  RowBatch tile;
  PlacedBatch placed;
  std::string text;
};

/// What is done with the tiles of a block; only `views` must be there. Values hold until the function
/// returns, those by places and those that are not rewritten until the text ends.
struct TileUse {
  std::function<void(const RowsView&, std::vector<EncodeIssue>&)> views;
  /// In place of `views` for rows that have places.
  std::function<void(const PlacedRows&, std::vector<EncodeIssue>&)> places = {};
  /// The piece of text that the tiles so far were cut from goes now.
  std::function<void()> text_ends = {};
  ChecksumStream* text_sum = nullptr;                        // takes in the block's text
  std::size_t piece_bytes = BlockText::default_piece_bytes;  // of text at a time
  /// Of a tile, where that is fewer than it would have.
  std::size_t max_rows = std::numeric_limits<std::size_t>::max();
};

/// Hands over all well-formed rows, tile by tile; `use` reports the rows it cannot take as issues. Appends
/// all bad rows, those of the parser and those of `use`, to `rejected` in the order of the file, with lines
/// from 0 at the block's start, and returns how many rows the block holds, good and bad. Stops once there are
/// more bad rows than `max_bad_rows`, for the run is then lost: a file with another delimiter must not fill
/// memory with its rows.
std::uint64_t for_each_tile(const Dialect& dialect, InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, TileBuffers& buffers,
                            std::vector<RejectedRow>& rejected, const TileUse& use);

}  // namespace widehash
