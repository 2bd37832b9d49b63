#pragma once

/// \file
/// values[i] = sum over ranks of values[i], in the order of pairwise_sum.hpp. P ranks, n bytes each.
///
///     small    1 step: each rank shows all to all, and adds                           (P - 1) n bytes sent per rank
///     large    2 steps, or 4 host by host: reduce-scatter over even parts, all-gather 2 (P - 1) n / P
///
/// An array is small up to small_reduce_bytes; between two ranks, where both ways send the same number of
/// bytes, up to pair_reduce_bytes. Both add in the same order, so the choice changes no bit. The small way
/// shows a copy, so that no rank waits until the others have read it.

#include "by_hosts.hpp"
#include "transport.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace widehash::detail {

inline constexpr std::size_t small_reduce_bytes = 4096;
inline constexpr std::size_t pair_reduce_bytes = std::size_t{1} << 20;

constexpr bool is_small_reduce(int num_ranks, std::size_t num_bytes) noexcept {
  return num_bytes <= (num_ranks == 2 ? pair_reduce_bytes : small_reduce_bytes);
}

/// Copies that a rank shows. There are two small ones, because others may read one until they reach the
/// collective after the next.
struct ReduceCopies {
  std::array<std::vector<std::byte>, 2> small;
  std::size_t turn = 0;
  HostCopies large;
};

/// `copies` belongs to this rank, and grows as needed.
template <class Real>
void all_reduce(Transport& transport, std::span<Real> values, ReduceCopies& copies);

}  // namespace widehash::detail
