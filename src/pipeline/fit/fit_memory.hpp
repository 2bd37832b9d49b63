#pragma once

/// \file
/// How `fit` divides the memory that it may take: half of it at most for text in flight, the rest for the
/// tables.

#include <cstddef>
#include <cstdint>

namespace widehash {

/// Of text: small blocks, since what is in flight is taken from the budget of the tables.
inline constexpr std::uint64_t fit_block_bytes = std::uint64_t{2} << 20;

struct FitMemory {
  std::size_t blocks_in_flight = 0;
  std::uint64_t counting_bytes = 0;  // of the TableBuilder that counts
  std::uint64_t merging_bytes = 0;   // of the one in which counts of several ranks come together
};

/// Throws ConfigError where `memory_bytes` are too little, saying how many are needed.
FitMemory divide_fit_memory(std::uint64_t memory_bytes, std::size_t num_threads, int num_ranks);

}  // namespace widehash
