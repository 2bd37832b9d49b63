#pragma once

/// \file
/// The one place where numbers of several ranks are added.

#include "transport.hpp"

#include <widehash/threads.hpp>

#include <algorithm>
#include <cstring>
#include <span>

namespace widehash::detail {

/// sums[i] = parts[0][i] + parts[1][i] + ..., in that order. `sums` may be one of the parts. Cost: one pass over all
/// parts, block by block so that the running sums stay in cache.
template <class Real>
void sum_in_order(std::span<const Bytes> parts, std::span<Real> sums) {
  constexpr std::size_t block = 1024;
  constexpr std::size_t blocks_per_task = 64;
  const auto add_blocks = [&](std::size_t first, std::size_t last) {
    Real running[block];
    for (std::size_t at = first; at < last; at += block) {
      const std::size_t count = std::min(block, last - at);
      std::memcpy(running, parts[0].data() + at * sizeof(Real), count * sizeof(Real));
      for (std::size_t p = 1; p < parts.size(); ++p) {
        const auto* part = reinterpret_cast<const Real*>(parts[p].data()) + at;
        for (std::size_t i = 0; i < count; ++i) running[i] += part[i];
      }
      std::memcpy(sums.data() + at, running, count * sizeof(Real));
    }
  };
  constexpr std::size_t task = block * blocks_per_task;
  const std::size_t tasks = (sums.size() + task - 1) / task;
  if (tasks <= 1) return add_blocks(0, sums.size());
  parallel_for(tasks, [&](std::size_t i) { add_blocks(i * task, std::min(sums.size(), (i + 1) * task)); });
}

}  // namespace widehash::detail
