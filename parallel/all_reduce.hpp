#pragma once

/// \file
/// values[i] = sum over ranks of values[i], added in the order of ranks. P ranks, n bytes each.
///
///     small (up to small_reduce_bytes)   1 step:  everyone shows all to all, and adds          (P - 1) n bytes sent a rank
///     large                              2 steps: reduce-scatter over even parts, all-gather   2 (P - 1) n / P
///
/// Both add in the same order, so the size changes no bit.

#include "transport.hpp"

#include <span>
#include <vector>

namespace widehash::detail {

inline constexpr std::size_t small_reduce_bytes = 4096;

/// `scratch` is the rank's own and grows to what is needed.
template <class Real>
void all_reduce(Transport& transport, std::span<Real> values, std::vector<std::byte>& scratch);

}  // namespace widehash::detail
