#pragma once

/// \file
/// Passes over whole gradients on all threads. In the first layer's gradient they visit only the touched
/// columns, if these are listed.

#include "chunks.hpp"
#include "column_fetch.hpp"

#include <widehash/first_layer.hpp>
#include <widehash/network.hpp>
#include <widehash/parameters.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace widehash::detail {

/// Whether touched columns are few enough to be worth listing; otherwise a pass over all columns costs less
/// than the list. Listing costs about 1.5 ns per set column. A pass costs half a nanosecond per value of a
/// column while all values fit in the L2 cache, and more beyond. Set columns repeat: click data sets one
/// column five times in 512 rows.
inline bool is_sparse_batch(const CodeBatchView& batch, ColumnRange columns, std::uint32_t units) noexcept {
  const std::uint64_t set = num_set_columns(batch);
  return units >= 8 ? set / 4 < columns.size() : set < columns.size() / 16;
}

template <class Real>
void fill_zero(std::span<Real> values) {
  for_each_share(values.size(), [&](std::size_t begin, std::size_t end) {
    std::ranges::fill(values.subspan(begin, end - begin), Real{0});
  });
}

/// all_finite() of network.hpp, on all threads.
template <class Real>
bool is_finite(std::span<const Real> values) {
  std::atomic<bool> finite{true};
  for_each_share(values.size(), [&](std::size_t begin, std::size_t end) {
    if (!all_finite(values.subspan(begin, end - begin))) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

/// Calls use(values of one column) for the touched columns of the first layer, in chunks, on any thread.
template <class Real, class Use>
void for_each_touched(std::span<Real> first_weights, std::size_t units, const TouchedColumns& touched,
                      const Use& use) {
  constexpr std::size_t columns_per_chunk = 1024;
  const auto positions = touched.positions();
  for_each_chunk(positions.size(), columns_per_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
    const ColumnFetch fetch(positions.subspan(begin, end - begin), units);
    for (std::size_t i = begin; i < end; ++i) {
      fetch.ahead_of(i - begin, first_weights.data());
      use(first_weights.subspan(positions[i] * units, units));
    }
  });
}

/// Zeroes the gradient. With `touched`, which must include every column whose gradient is not 0, only those
/// columns of the first layer are zeroed.
template <class Real>
void clear_gradient(Parameters<Real>& gradient, const TouchedColumns* touched) {
  const auto tensors = gradient.tensors();
  for (std::size_t i = touched == nullptr ? 0 : 1; i < tensors.size(); ++i) fill_zero(tensors[i].values);
  if (touched == nullptr) return;
  for_each_touched(tensors[0].values, gradient.units, *touched,
                   [](std::span<Real> column) { std::ranges::fill(column, Real{0}); });
}

/// Whether all tensors except the first layer's weights are finite.
template <class Real>
bool is_tail_finite(const Parameters<Real>& gradient) {
  const auto tensors = gradient.tensors();
  return std::all_of(tensors.begin() + 1, tensors.end(),
                     [](const auto& tensor) { return is_finite<Real>(tensor.values); });
}

/// Whether the first layer's weights are finite, in the columns `own` or, if given, the `touched` ones.
template <class Real>
bool is_first_finite(const Parameters<Real>& gradient, ColumnRange own, const TouchedColumns* touched) {
  const std::span<const Real> first = gradient.first_weights;
  const std::size_t units = gradient.units;
  if (touched == nullptr) {
    return is_finite(first.subspan((own.begin - gradient.columns.begin) * units, own.size() * units));
  }
  std::atomic<bool> finite{true};
  for_each_touched(first, units, *touched, [&](std::span<const Real> column) {
    if (!all_finite(column)) finite.store(false, std::memory_order_relaxed);
  });
  return finite;
}

/// Whether every sum of `terms` of the deltas must be finite, in any order of addition. Then the gradient of
/// the first layer is finite and need not be checked. False if a delta is not finite.
template <class Real>
bool sums_are_finite(std::span<const Real> deltas, std::uint64_t terms) noexcept {
  // Works on the bits, as in all_finite(): without the sign, they are ordered like the numbers, and values
  // that are not finite come last.
  using Bits = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  Bits largest = 0;
  for (const Real delta : deltas)
    largest =
        std::max(largest, static_cast<Bits>(std::bit_cast<Bits>(delta) & std::numeric_limits<Bits>::max()));
  // Half of the range is left for rounding errors.
  return static_cast<double>(std::bit_cast<Real>(largest)) <
         static_cast<double>(std::numeric_limits<Real>::max()) / 2 /
             static_cast<double>(std::max<std::uint64_t>(terms, 1));
}

}  // namespace widehash::detail
