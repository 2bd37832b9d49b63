#include "transform_memory.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace widehash {

double transform_block_memory(const Schema& schema, const CodeLayout& layout, std::size_t num_fields,
                              std::uint64_t block_bytes) {
  // Two bytes of text a value and a delimiter are about as short as real rows get; 4 more slots stand for
  // ragged runs.
  const double row_bytes =
      static_cast<double>(layout.fixed_row_bytes() - layout.code_stride * sizeof(std::uint16_t)) +
      (layout.has_ragged ? 8.0 + 16.0 * static_cast<double>(schema.features.size()) : 0.0);
  const double text_bytes = 3.0 * static_cast<double>(std::max<std::size_t>(num_fields, 1));
  return static_cast<double>(block_bytes) * (1.0 + row_bytes / text_bytes);
}

TransformMemory divide_transform_memory(std::uint64_t memory_bytes, std::size_t num_threads,
                                        std::uint64_t block_bytes, double block_memory) {
  const auto memory = static_cast<double>(memory_bytes);
  if (block_memory > memory) {
    throw ConfigError(
        fmt::format("a block of {} bytes needs about {:.0f} bytes of memory and --memory allows {}; raise "
                    "--memory or lower --block-bytes",
                    block_bytes, block_memory, memory_bytes));
  }
  const double in_flight = std::min(std::floor(memory / block_memory), static_cast<double>(num_threads + 2));
  const double taken = std::ceil(in_flight * block_memory);
  // As a double a limit may be above itself: 2^64 - 1 is no double.
  const std::uint64_t rest = taken < memory ? memory_bytes - static_cast<std::uint64_t>(taken) : 0;
  return {static_cast<std::size_t>(in_flight), rest};
}

}  // namespace widehash
