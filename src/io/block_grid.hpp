#pragma once

/// \file
/// Where the blocks of an input begin to own rows.

#include <cstdint>
#include <limits>

namespace widehash::detail {

struct BlockGrid {
  std::uint64_t block_bytes = 0;  // at least 1

  /// Returns where block `index` begins; past all inputs if that does not fit in 64 bits.
  std::uint64_t begin(std::uint64_t index) const noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return index > most / block_bytes ? most : index * block_bytes;
  }
};

}  // namespace widehash::detail
