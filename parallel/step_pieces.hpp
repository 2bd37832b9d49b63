#pragma once

/// \file
/// What several strategies do alike.

#include <widehash/communicator.hpp>
#include <widehash/replica.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// Where columns are cut over ranks: size + 1 columns.
std::vector<std::size_t> column_offsets(const Architecture& architecture, int size);
/// How far from even a cut may be moved to a border: a sixteenth of a rank's share, so that memory stays
/// divided.
std::uint64_t largest_shift(const Architecture& architecture, int size) noexcept;
/// The same, each cut moved to the nearest of `borders` within largest_shift().
std::vector<std::size_t> column_offsets(const Architecture& architecture, int size,
                                        std::span<const std::uint64_t> borders);
ColumnRange columns_of(const std::vector<std::size_t>& offsets, int rank);

/// The sum of weights of rows, which whoever prepared them knows; `prepared` may be null.
double weight_of(const CodeBatchView& rows, const PreparedRows* prepared) noexcept;
/// The sum of weights of a step of which this rank has rows of `own_weight`: known beforehand where rows have
/// no weights.
double agree_on_weight(Communicator& communicator, const CodeBatchView& rows, double own_weight,
                       std::uint64_t step_rows);

/// Adds up everything of a set but the first layer, in one collective.
template <class Real>
void all_reduce_tail(Communicator& communicator, Replica<Real>& replica, ValueSet set);

/// Each rank predicts a slice with its replica, and the slices are put together.
template <class Real>
void predict_in_slices(Communicator& communicator, Replica<Real>& replica, const CodeBatchView& rows,
                       std::span<Real> predictions);

}  // namespace widehash::detail
