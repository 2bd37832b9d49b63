#pragma once

/// \file
/// A block's rows, a tile at a time: small enough that fields and codes stay in cache between parsing and
/// encoding.

#include "input_blocks.hpp"
#include "rejected_rows.hpp"

#include <widehash/checksum.hpp>
#include <widehash/encoder.hpp>
#include <widehash/row_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace widehash {

/// Memory of one thread that works on block after block.
struct TileBuffers {
  RowBatch tile;
  std::string text;
};

using UseTile = std::function<void(const RowsView&, std::vector<EncodeIssue>&)>;

/// Calls use(rows, issues) for each tile of well-formed rows; `use` reports the rows it cannot take in
/// `issues`. Appends all bad rows, those of the parser and those of `use`, to `rejected` in the order of the
/// file, with lines from 0 at the block's start, and returns how many rows the block holds, good and bad.
/// Stops once there are more bad rows than `max_bad_rows`, for the run is then lost: a file with another
/// delimiter must not fill memory with its rows. Values hold until `use` returns. `text_sum`, where given,
/// takes in the block's text.
std::uint64_t for_each_tile(const Dialect& dialect, InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, TileBuffers& buffers,
                            std::vector<RejectedRow>& rejected, const UseTile& use,
                            ChecksumStream* text_sum = nullptr);
/// The same with values that hold as long as block and tile: the whole text is brought into memory.
std::uint64_t for_each_tile(const Dialect& dialect, InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, RowBatch& tile, std::vector<RejectedRow>& rejected,
                            const UseTile& use);

}  // namespace widehash
