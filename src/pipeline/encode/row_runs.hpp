#pragma once

/// \file
/// Rows that none was left out between, which kernels take together.

#include <algorithm>
#include <cstddef>
#include <span>

namespace widehash {

/// How many of the rows listed in `sources`, at most `most` and at least one, follow each other from the
/// first on. Requires sources that rise, one at least.
inline std::size_t run_length(std::span<const std::size_t> sources, std::size_t most) noexcept {
  const std::size_t limit = std::min(sources.size(), std::max<std::size_t>(most, 1));
  if (sources[limit - 1] - sources[0] == limit - 1) return limit;
  std::size_t count = 1;
  while (sources[count] == sources[0] + count) ++count;
  return count;
}

}  // namespace widehash
