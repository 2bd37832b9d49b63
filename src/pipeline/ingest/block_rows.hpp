#pragma once

/// \file
/// Reads a block's rows a tile at a time. A tile is small enough for its fields and codes to stay in cache
/// between parsing and encoding.

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

/// Memory of one thread that processes block after block.
struct TileBuffers {
  RowBatch tile;
  PlacedBatch placed;
  std::string text;
};

/// What to do with the tiles of a block; only `views` must be set. Values are valid until the function
/// returns; placed values, and values that are not rewritten, until the text ends.
struct TileUse {
  std::function<void(const RowsView&, std::vector<EncodeIssue>&)> views;
  /// Called instead of `views` for placed rows.
  std::function<void(const PlacedRows&, std::vector<EncodeIssue>&)> places = {};
  /// Called before the piece of text that the tiles so far are part of is released.
  std::function<void()> text_ends = {};
  ChecksumStream* text_sum = nullptr;                        // adds up the block's text
  std::size_t piece_bytes = BlockText::default_piece_bytes;  // of text read at a time
  /// A limit on the rows of a tile, where a tile would otherwise have more.
  std::size_t max_rows = std::numeric_limits<std::size_t>::max();
};

/// Passes all well-formed rows to `use`, tile by tile; `use` reports the rows that it cannot take as issues.
/// Appends all bad rows, those of the parser and those of `use`, to `rejected` in the order of the file, with
/// lines counted from 0 at the block's start. Returns how many rows the block holds, good and bad. Stops once
/// there are more than `max_bad_rows` bad rows, because the run has then failed: a file with another
/// delimiter must not fill memory with its rows.
std::uint64_t for_each_tile(const Dialect& dialect, InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, TileBuffers& buffers,
                            std::vector<RejectedRow>& rejected, const TileUse& use);

}  // namespace widehash
