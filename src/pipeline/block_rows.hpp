#pragma once

/// \file
/// A block's rows, a tile at a time: small enough that fields and codes stay in cache between parsing and
/// encoding.

#include "input_blocks.hpp"
#include "rejected_rows.hpp"

#include <widehash/encoder.hpp>
#include <widehash/row_parser.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace widehash {

inline constexpr std::size_t tile_rows = 1024;

/// Calls use(rows, issues) for each tile of well-formed rows; `use` reports the rows it cannot take in
/// `issues`. Appends all bad rows, those of the parser and those of `use`, to `rejected` in the order of the
/// file, and returns how many rows the block holds, good and bad. Stops once there are more bad rows than
/// `max_bad_rows`, for the run is then lost: a file with another delimiter must not fill memory with its
/// rows.
std::uint64_t for_each_tile(const Dialect& dialect, const InputBlock& block, const std::string& path,
                            std::uint64_t max_bad_rows, RowBatch& tile, std::vector<RejectedRow>& rejected,
                            const std::function<void(const RowsView&, std::vector<EncodeIssue>&)>& use);

}  // namespace widehash
