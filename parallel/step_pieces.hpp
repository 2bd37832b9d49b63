#pragma once

/// \file
/// Pieces shared by several strategies.

#include <widehash/communicator.hpp>
#include <widehash/replica.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// Where the columns are divided among ranks: size + 1 column numbers.
std::vector<std::size_t> column_offsets(const Architecture& architecture, int size);
/// The largest distance by which a cut may be moved from even to a border: a sixteenth of a rank's share, so
/// that memory stays divided.
std::uint64_t largest_shift(const Architecture& architecture, int size) noexcept;
/// As above, with each cut moved to the nearest of `borders` within largest_shift().
std::vector<std::size_t> column_offsets(const Architecture& architecture, int size,
                                        std::span<const std::uint64_t> borders);
ColumnRange columns_of(const std::vector<std::size_t>& offsets, int rank);

/// The sum of the weights of the rows. Taken from `prepared` if it is not null.
double weight_of(const CodeBatchView& rows, const PreparedRows* prepared) noexcept;
/// The sum of weights of a whole step, in which this rank's rows have `own_weight`. Collective only if rows
/// have weights: otherwise the sum is `step_rows`.
double agree_on_weight(Communicator& communicator, const CodeBatchView& rows, double own_weight,
                       std::uint64_t step_rows);

/// Sums a value set over all ranks, except its first layer, in one collective.
template <class Real>
void all_reduce_tail(Communicator& communicator, Replica<Real>& replica, ValueSet set);

/// Each rank predicts a slice of the rows with its replica; the slices are then combined on every rank.
template <class Real>
void predict_in_slices(Communicator& communicator, Replica<Real>& replica, const CodeBatchView& rows,
                       std::span<Real> predictions);

}  // namespace widehash::detail
