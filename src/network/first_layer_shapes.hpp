#pragma once

/// \file
/// Checks of the arguments of the first layer, for both directions.

#include <widehash/code_batch.hpp>
#include <widehash/internal/column_range.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

/// Throws ShapeError if the rows are on a GPU, if the range is not within the batch's columns, or if a table
/// of `table_size` values [range.size() x units] or a matrix of `matrix_size` values [rows x units] does not
/// fit. `what` is the operation, for the message.
void check_first_layer(const char* what, const CodeBatchView& batch, ColumnRange range, std::uint32_t units,
                       std::size_t table_size, std::size_t matrix_size);

}  // namespace widehash::detail
