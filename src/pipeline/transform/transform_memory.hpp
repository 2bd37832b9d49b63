#pragma once

/// \file
/// How many blocks `transform` may have in flight within its memory limit.

#include <widehash/code_layout.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash {

/// The most memory that a block takes, in bytes.
struct BlockMemory {
  double text = 0;  // where it is not left on disk
  double rows = 0;  // encoded data that waits until the shard is finished
};

/// Returns an upper estimate for blocks of `block_bytes` with rows of `num_fields` fields and codes as in `layout`.
BlockMemory transform_block_memory(const CodeLayout& layout, std::size_t num_fields,
                                   std::uint64_t block_bytes);

struct TransformMemory {
  std::size_t in_flight = 0;  // blocks, 1 to the number of threads
  std::size_t in_memory = 0;  // those among them with their text in memory, at least 1
};

/// Divides the memory between blocks. Throws ConfigError where not even one block fits.
TransformMemory divide_transform_memory(std::uint64_t memory_bytes, std::size_t num_threads,
                                        std::uint64_t block_bytes, const BlockMemory& block);

}  // namespace widehash
