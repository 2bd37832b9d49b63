#pragma once

/// \file
/// The one order in which numbers of several ranks are added: pairs of neighbours, then pairs of those sums,
///
///     ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + x6),
///
/// where the first 2^k numbers are split from the rest. If every host holds the same 2^k ranks, a host's sum
/// is a term of this sum, so its ranks may add their numbers before anything leaves the host, and the result
/// has the same bits. For n numbers, the error grows with log n, not n.

#include "transport.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace widehash::detail {

inline constexpr std::size_t pairwise_block = 1024;

/// As pairwise_sum() below, for up to pairwise_block numbers starting at `at`. `sums` must not be one of the
/// parts.
template <class Real>
void pairwise_sum_of_block(std::span<const Bytes> parts, std::size_t at, std::span<Real> sums) {
  const auto add = [&sums](const Real* part) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  };
  const auto numbers_of = [at](Bytes part) { return reinterpret_cast<const Real*>(part.data()) + at; };
  if (parts.size() <= 2) {
    std::memcpy(sums.data(), numbers_of(parts[0]), sums.size_bytes());
    if (parts.size() == 2) add(numbers_of(parts[1]));
    return;
  }
  const std::size_t half = std::bit_floor(parts.size() - 1);
  pairwise_sum_of_block(parts.first(half), at, sums);
  if (parts.size() == half + 1) return add(numbers_of(parts[half]));
  Real rest[pairwise_block];
  pairwise_sum_of_block(parts.subspan(half), at, std::span(rest, sums.size()));
  add(rest);
}

/// sums[i] = parts[0][i] + parts[1][i] + ..., in the order above. `sums` may be one of the parts. Cost: one
/// pass over all parts, block by block so that partial sums stay in cache.
template <class Real>
void pairwise_sum(std::span<const Bytes> parts, std::span<Real> sums) {
  constexpr std::size_t blocks_per_task = 64;
  const auto add_blocks = [&](std::size_t first, std::size_t last) {
    Real block[pairwise_block];
    for (std::size_t at = first; at < last; at += pairwise_block) {
      const std::size_t count = std::min(pairwise_block, last - at);
      pairwise_sum_of_block(parts, at, std::span(block, count));
      std::memcpy(sums.data() + at, block, count * sizeof(Real));
    }
  };
  constexpr std::size_t task = pairwise_block * blocks_per_task;
  const std::size_t tasks = (sums.size() + task - 1) / task;
  if (tasks <= 1) return add_blocks(0, sums.size());
  parallel_for(tasks, [&](std::size_t i) { add_blocks(i * task, std::min(sums.size(), (i + 1) * task)); });
}

}  // namespace widehash::detail
