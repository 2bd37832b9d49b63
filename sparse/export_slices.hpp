#pragma once

#include <widehash/code_batch.hpp>

#include <algorithm>
#include <cstddef>

namespace widehash::detail {

/// Returns how many rows of a shard to export at once: about `entries` entries of the matrix, however wide
/// its rows are, but at least one row and at most `most_rows`. A packed run has at most a column for each byte.
inline std::size_t rows_per_export_slice(const CodeBatchView& rows, std::size_t most_rows,
                                         std::size_t entries) noexcept {
  const CodeLayout& layout = *rows.layout;
  const std::size_t fixed = layout.num_codes() + layout.column_stride + layout.number_stride;
  const std::size_t ragged = rows.ragged_offsets.empty() || rows.num_rows == 0
                                 ? 0
                                 : (rows.ragged_offsets.back() - rows.ragged_offsets.front()) / rows.num_rows;
  return std::clamp<std::size_t>(entries / std::max<std::size_t>(fixed + ragged, 1), 1, most_rows);
}

}  // namespace widehash::detail
