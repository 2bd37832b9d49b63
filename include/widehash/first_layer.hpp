#pragma once

/// \file
/// The first layer: a sparse gather-sum over the columns a row sets, and its transpose.
///
///     Z = X W         gather_sum         Z[row, :] = sum over the row's columns c in the range of x_c W[c, :]
///     dW = X^T dZ     scatter_gradient   dW[c, :] += sum over rows that set c of x_c dZ[row, :]
///
/// x_c is 1, or the number of a numeric feature, or how often a ragged run repeats c. Nothing of X is built:
/// the slots of the code batch are read as they lie. Row 0 of W belongs to column `range.begin`; other
/// columns are passed over, so that the partial sums of owners of disjoint ranges add up to the whole. The
/// bias belongs to the tail.
///
/// Order of sums. Forward, a row's sum depends on that row alone. Backward, a column's sum runs over rows in
/// batch order. So neither depends on the number of threads, and backward not on how columns are divided.

#include <widehash/code_batch.hpp>
#include <widehash/internal/column_range.hpp>
#include <widehash/internal/touched_columns.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

/// Z = X W over `range`. Shapes: weights [range.size() x units] row-major, sums [rows x units], overwritten.
/// Requires a batch that check_batch() accepts. Throws ShapeError. Cost: O(set columns * units).
template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums);

/// gradient += X^T deltas over `range`. Shapes: deltas [rows x units], gradient [range.size() x units].
/// `touched` (of the same range; may be null) gains the columns set. Throws ShapeError. Cost: O(set columns *
/// units).
template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched);

/// Columns at which the first layer can be cut into ranges so that each code slot names columns of one range
/// only: the kernels then need no checks. Ascending, 0 and the number of columns among them.
std::vector<std::uint64_t> slot_borders(const CodeLayout& layout);

/// Upper bound of the columns a batch sets, all rows together.
std::uint64_t num_set_columns(const CodeBatchView& batch) noexcept;

}  // namespace widehash
