#include "transform_memory.hpp"

#include <widehash/error.hpp>
#include <widehash/shard_writer.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace widehash {

BlockMemory transform_block_memory(const CodeLayout& layout, std::size_t num_fields,
                                   std::uint64_t block_bytes) {
  // Two bytes of text per value and a delimiter are about as short as real rows get. Codes do not wait in
  // memory; of ragged runs, only their ends and some of their columns do.
  const double row_bytes =
      static_cast<double>(layout.fixed_row_bytes() - layout.code_stride * sizeof(std::uint16_t)) +
      (layout.has_ragged ? static_cast<double>(sizeof(std::uint64_t)) : 0.0);
  const double ragged_bytes = layout.has_ragged ? static_cast<double>(ShardWriter::ragged_memory) : 0.0;
  const double text_bytes = 3.0 * static_cast<double>(std::max<std::size_t>(num_fields, 1));
  const auto block = static_cast<double>(block_bytes);
  return {block, block * row_bytes / text_bytes + ragged_bytes};
}

TransformMemory divide_transform_memory(std::uint64_t memory_bytes, std::size_t num_threads,
                                        std::uint64_t block_bytes, const BlockMemory& block) {
  const auto memory = static_cast<double>(memory_bytes);
  const auto threads = static_cast<double>(num_threads);
  const double whole = block.text + block.rows;
  if (whole > memory) {
    throw ConfigError(
        fmt::format("a block of {} bytes needs about {:.0f} bytes of memory and --memory allows {}; raise "
                    "--memory or lower --block-bytes",
                    block_bytes, whole, memory_bytes));
  }
  const double in_memory = std::min(std::floor(memory / whole), threads);
  // The remaining memory suffices for the rows of further blocks, whose text stays on disk.
  const double rest = memory - in_memory * whole;
  const double on_disk = block.rows > 0 ? std::floor(rest / block.rows) : threads;
  return {static_cast<std::size_t>(std::min(in_memory + on_disk, threads)),
          static_cast<std::size_t>(in_memory)};
}

}  // namespace widehash
