#pragma once

/// \file
/// What several strategies do alike.

#include <widehash/communicator.hpp>
#include <widehash/network.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// Where columns are cut over ranks: size + 1 columns.
std::vector<std::size_t> column_offsets(const Architecture& architecture, int size);
ColumnRange columns_of(const std::vector<std::size_t>& offsets, int rank);

template <class Real>
void fill_zero(Parameters<Real>& values);

/// A batch's share of the memory that lists of touched columns are worth: see Network::train_step.
bool is_sparse_batch(const CodeBatchView& batch, std::uint64_t num_columns) noexcept;

/// Throws DataError naming the step.
[[noreturn]] void throw_not_finite(std::string_view step, std::string_view what);
template <class Real>
void require_finite(const Parameters<Real>& gradient, std::string_view step);

/// The sum of weights of a step of which this rank has `rows`: known beforehand where rows have no weights.
double agree_on_weight(Communicator& communicator, const CodeBatchView& rows, std::uint64_t step_rows);

/// The loss of `rows`; their gradient, divided by `normaliser`, overwrites `gradient`.
template <class Real>
double loss_and_gradient(const Network<Real>& network, const CodeBatchView& rows, double normaliser,
                         std::string_view step, Workspace<Real>& work, Parameters<Real>& gradient);

/// Adds up everything but the first layer's weights, in one collective: it is small and has many tensors.
template <class Real>
void all_reduce_tail(Communicator& communicator, Parameters<Real>& values, std::vector<Real>& scratch);

/// Copies everything but the first layer's weights.
template <class Real>
void copy_tail(const Parameters<Real>& from, Parameters<Real>& to);

/// Each rank predicts a slice with its replica, and the slices are put together.
template <class Real>
void predict_in_slices(Communicator& communicator, const Network<Real>& network, const CodeBatchView& rows,
                       Workspace<Real>& work, std::span<Real> predictions);

}  // namespace widehash::detail
