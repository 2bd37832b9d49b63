#pragma once

/// \file
/// How `transform` divides the memory that it may take among blocks and inputs that are read ahead.

#include <widehash/code_layout.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>

namespace widehash {

struct TransformMemory {
  std::size_t blocks_in_flight = 0;
  std::uint64_t ahead_bytes = 0;  // of inputs that are read ahead
};

/// What a block of text takes with what waits until its codes are written, estimated from above for rows of
/// `num_fields` fields and codes as in `layout`.
double transform_block_memory(const Schema& schema, const CodeLayout& layout, std::size_t num_fields,
                              std::uint64_t block_bytes);

/// Throws ConfigError where not even one block fits.
TransformMemory divide_transform_memory(std::uint64_t memory_bytes, std::size_t num_threads,
                                        std::uint64_t block_bytes, double block_memory);

}  // namespace widehash
