#include "fit_memory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/table_builder.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

// Memory of a block in flight, for text, fields and values, in bytes per byte of text.
constexpr std::uint64_t memory_per_text_byte = 8;
constexpr std::uint64_t block_memory = fit_block_bytes * memory_per_text_byte;

}  // namespace

FitMemory divide_fit_memory(std::uint64_t memory_bytes, std::size_t num_threads, int num_ranks) {
  FitMemory memory;
  memory.merging_bytes = num_ranks > 1 ? TableBuilder::min_memory_bytes : 0;
  const std::uint64_t table_bytes = memory.merging_bytes + TableBuilder::min_memory_bytes;
  const std::uint64_t text_bytes = memory_bytes / 2;
  memory.blocks_in_flight = std::min<std::uint64_t>(text_bytes / block_memory, num_threads);
  const std::uint64_t rest = memory_bytes - memory.blocks_in_flight * block_memory;
  if (memory.blocks_in_flight == 0 || rest < table_bytes) {
    throw ConfigError(fmt::format("--memory {} is too little: at least {} bytes are needed; raise it",
                                  memory_bytes, table_bytes + block_memory));
  }
  memory.counting_bytes = rest - memory.merging_bytes;
  return memory;
}

}  // namespace widehash
