#include "device_slots.hpp"

#include <widehash/internal/bucket_reducer.hpp>

#include <algorithm>

#include <launch.cuh>

// Hashes are stored column by column and codes row by row. A block transposes a tile of rows in shared
// memory, so that hashes are read and codes are written in runs.
namespace widehash::cuda {
namespace {

using detail::SlotRows;
using detail::SlotTarget;
using detail::SlotTargets;

constexpr unsigned tile_rows = 32;  // one lane each
constexpr unsigned block_threads = 256;
constexpr std::size_t max_blocks = 1 << 16;

/// Returns the four buckets of a value in one word, as they lie in a row of codes.
__device__ std::uint64_t codes_of(const SlotTarget& target, std::uint64_t hash, bool is_absent) {
  if (is_absent) return ~std::uint64_t{0};
  const SplitRemainder remainder(target.width);
  std::uint64_t codes = 0;
  for (int k = 0; k < num_splits; ++k) {
    const auto split = static_cast<std::uint32_t>(hash >> (48 - 16 * k)) & 0xFFFF;
    codes |= static_cast<std::uint64_t>(remainder(split)) << (16 * k);
  }
  return codes;
}

/// Writes what a feature sets in the u32 slots of a row: one slot, or four.
__device__ void write_columns(const SlotTarget& target, std::uint64_t hash, bool is_absent,
                              std::uint32_t* first, std::uint64_t step) {
  if (target.is_one_hot) {
    *first = is_absent ? absent_column : target.remainder(hash);
    return;
  }
  const Buckets buckets = four_split(hash, target.width);
  for (std::uint32_t k = 0; k < num_splits; ++k) {
    first[k * step] = is_absent ? absent_column : k * target.width + buckets[k];
  }
}

__device__ void write_codes(std::uint64_t codes, std::uint16_t* out) {
  if (reinterpret_cast<std::uintptr_t>(out) % sizeof codes == 0) {
    *reinterpret_cast<std::uint64_t*>(out) = codes;
    return;
  }
  for (int k = 0; k < num_splits; ++k) out[k] = static_cast<std::uint16_t>(codes >> (16 * k));
}

/// Writes the low byte of each code. Rows and byte codes begin at even places, so a value takes two words of
/// a row.
__device__ void write_byte_codes(std::uint64_t codes, std::uint16_t* out) {
  out[0] = static_cast<std::uint16_t>((codes & 0xFF) | (codes >> 16 & 0xFF) << 8);
  out[1] = static_cast<std::uint16_t>((codes >> 32 & 0xFF) | (codes >> 48 & 0xFF) << 8);
}

/// Shared memory: one word for each row of the tile and each feature, then the kind and the slot of each feature. The
/// words of a row are padded to an odd number, so that lanes fall into different banks.
__global__ void __launch_bounds__(block_threads)
    reduce_tiles(const __grid_constant__ SlotTargets targets, SlotRows shape, DeviceCodes out) {
  std::uint64_t* const tile = shared_memory<std::uint64_t>();
  const unsigned tile_stride = targets.count | 1;
  // The lanes of the second loop ask for different features, which constant memory serves one after the other.
  auto* const places = reinterpret_cast<unsigned*>(tile + tile_rows * tile_stride);
  for (unsigned j = threadIdx.x; j < targets.count; j += blockDim.x)
    places[j] =
        static_cast<unsigned>(targets.targets[j].slot) << 3 | static_cast<unsigned>(targets.targets[j].kind);
  const unsigned lane = threadIdx.x % tile_rows;
  const std::size_t step = std::size_t{gridDim.x} * tile_rows;
  for (std::size_t first = std::size_t{blockIdx.x} * tile_rows; first < shape.num_rows; first += step) {
    const std::size_t rest = shape.num_rows - first;
    const unsigned rows = rest < tile_rows ? static_cast<unsigned>(rest) : tile_rows;
    for (unsigned j = threadIdx.x / tile_rows; j < targets.count; j += blockDim.x / tile_rows) {
      if (lane >= rows) continue;
      const SlotTarget& target = targets.targets[j];
      const std::uint64_t hash = target.hashes[first + lane];
      const bool is_absent = target.is_missing != nullptr && target.is_missing[first + lane] != 0;
      if (target.kind == SlotKind::columns) {
        write_columns(target, hash, is_absent,
                      out.columns + (first + lane) * shape.column_stride + target.slot, 1);
      } else {
        tile[lane * tile_stride + j] = codes_of(target, hash, is_absent);
      }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < rows * targets.count; i += blockDim.x) {
      const unsigned row = i / targets.count;
      const unsigned j = i % targets.count;
      const auto kind = static_cast<SlotKind>(places[j] & 7);
      const unsigned slot = places[j] >> 3;
      if (kind == SlotKind::columns) continue;  // written already, and not in the tile
      const std::uint64_t codes = tile[row * tile_stride + j];
      std::uint16_t* const words = out.codes + (first + row) * shape.code_stride;
      if (kind == SlotKind::codes) write_codes(codes, words + slot);
      if (kind == SlotKind::byte_codes) write_byte_codes(codes, words + shape.wide_codes + slot / 2);
    }
    __syncthreads();
  }
}

/// Neighbouring threads have neighbouring rows, which lie side by side in every slot, so no tile is needed. Rows of
/// blocks (y) divide the features.
__global__ void __launch_bounds__(block_threads)
    reduce_by_slot(const __grid_constant__ SlotTargets targets, std::size_t num_rows, DeviceCodes out) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t row = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; row < num_rows; row += step) {
    for (unsigned j = blockIdx.y; j < targets.count; j += gridDim.y) {
      const SlotTarget& target = targets.targets[j];
      const std::uint64_t hash = target.hashes[row];
      const bool is_absent = target.is_missing != nullptr && target.is_missing[row] != 0;
      const std::uint64_t place = target.slot * out.slot_stride + row;
      if (target.kind == SlotKind::columns) {
        write_columns(target, hash, is_absent, out.columns + place, out.slot_stride);
        continue;
      }
      const std::uint64_t codes = codes_of(target, hash, is_absent);
      for (int k = 0; k < num_splits; ++k) {
        const std::uint64_t at = place + static_cast<std::uint64_t>(k) * out.slot_stride;
        if (target.kind == SlotKind::codes) {
          out.codes[at] = static_cast<std::uint16_t>(codes >> (16 * k));
        } else {
          out.byte_codes[at] = static_cast<std::uint8_t>(codes >> (16 * k));
        }
      }
    }
  }
}

}  // namespace
}  // namespace widehash::cuda

namespace widehash::detail {

void reduce_to_slots(const SlotTargets& targets, const SlotRows& rows, const DeviceCodes& out) {
  if (targets.count == 0) return;
  const auto blocks_for = [&](std::size_t rows_each) {
    return static_cast<unsigned>(std::min((rows.num_rows + rows_each - 1) / rows_each, cuda::max_blocks));
  };
  if (out.slot_stride != 0) {
    constexpr unsigned features_each = 8;  // few enough that a batch of 65,536 rows fills the device
    const dim3 blocks(blocks_for(cuda::block_threads), (targets.count + features_each - 1) / features_each);
    cuda::launch(cuda::reduce_by_slot, blocks, cuda::block_threads, 0, out.stream, targets, rows.num_rows,
                 out);
    return;
  }
  const std::size_t shared_bytes =
      sizeof(std::uint64_t) * cuda::tile_rows * (targets.count | 1) + sizeof(unsigned) * targets.count;
  cuda::launch(cuda::reduce_tiles, blocks_for(cuda::tile_rows), cuda::block_threads, shared_bytes, out.stream,
               targets, rows, out);
}

}  // namespace widehash::detail
