#pragma once

/// \file
/// Divides the memory that `fit` may use: at most half of it is for text in flight, the rest for the tables.

#include <cstddef>
#include <cstdint>

namespace widehash {

/// Bytes of text in a block. Blocks are small, because text in flight takes memory from the tables.
inline constexpr std::uint64_t fit_block_bytes = std::uint64_t{2} << 20;

struct FitMemory {
  std::size_t blocks_in_flight = 0;
  std::uint64_t counting_bytes = 0;  // for the TableBuilder that counts
  std::uint64_t merging_bytes = 0;   // for the TableBuilder that merges the counts of several ranks
};

/// Throws ConfigError where `memory_bytes` is too little; the message says how much is needed.
FitMemory divide_fit_memory(std::uint64_t memory_bytes, std::size_t num_threads, int num_ranks);

}  // namespace widehash
