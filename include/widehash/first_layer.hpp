#pragma once

/// \file
/// The first layer: a sparse gather-sum over the columns a row sets, and its transpose.
///
///     Z = X W         gather_sum         Z[row, :] = sum over the row's columns c in the range of x_c W[c, :]
///     dW = X^T dZ     scatter_gradient   dW[c, :] += sum over rows that set c of x_c dZ[row, :]
///
/// x_c is 1, or the number of a numeric feature, or how often a ragged run repeats c. X is never built: the
/// slots of the code batch are read in place. Row 0 of W belongs to column `range.begin`. Columns outside the
/// range are skipped, so the partial sums of owners of disjoint ranges add up to the whole. The bias belongs
/// to the tail.
///
/// Order of sums. Forward, the sum of a row depends on that row alone. Backward, the sum of a column runs
/// over rows in batch order. So neither depends on the number of threads, and the backward sums do not depend
/// on how columns are divided.

#include <widehash/code_batch.hpp>
#include <widehash/internal/column_range.hpp>
#include <widehash/internal/touched_columns.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

/// Computes Z = X W over `range`. Shapes: weights [range.size() x units] row-major, sums [rows x units],
/// overwritten. Requires a batch that check_batch() accepts. Throws ShapeError. Cost: O(set columns * units).
template <class Real>
void gather_sum(const CodeBatchView& batch, std::span<const Real> weights, ColumnRange range,
                std::uint32_t units, std::span<Real> sums);

/// Computes gradient += X^T deltas over `range`. Shapes: deltas [rows x units], gradient [range.size() x
/// units]. Adds the columns set to `touched`, which must be of the same range and may be null. Throws
/// ShapeError. Cost: O(set columns * units).
template <class Real>
void scatter_gradient(const CodeBatchView& batch, std::span<const Real> deltas, ColumnRange range,
                      std::uint32_t units, std::span<Real> gradient, TouchedColumns* touched);

/// Columns at which the first layer can be cut into ranges so that each code slot names columns of one range
/// only: the kernels then need no checks. Ascending, including 0 and the number of columns.
std::vector<std::uint64_t> slot_borders(const CodeLayout& layout);

/// Returns an upper bound of the number of columns that a batch sets, summed over its rows.
std::uint64_t num_set_columns(const CodeBatchView& batch) noexcept;

}  // namespace widehash
