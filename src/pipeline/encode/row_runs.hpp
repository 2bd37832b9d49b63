#pragma once

/// \file
/// Runs of consecutive rows, which kernels process together.

#include <algorithm>
#include <cstddef>
#include <span>

namespace widehash {

/// The number of rows listed in `sources`, at least one and at most `most`, that are consecutive, starting at
/// the first. Requires at least one source, in ascending order.
inline std::size_t run_length(std::span<const std::size_t> sources, std::size_t most) noexcept {
  const std::size_t limit = std::min(sources.size(), std::max<std::size_t>(most, 1));
  if (sources[limit - 1] - sources[0] == limit - 1) return limit;
  std::size_t count = 1;
  while (sources[count] == sources[0] + count) ++count;
  return count;
}

}  // namespace widehash
