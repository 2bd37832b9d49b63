#pragma once

/// \file
/// The number of blocks that a kernel is launched with.

#include "cuda/device_context.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace widehash::cuda {

inline constexpr unsigned block_threads = 256;
/// The most blocks that a grid may have along its second and third dimensions.
inline constexpr std::uint32_t most_grid_rows = 65535;

constexpr std::uint64_t blocks_for(std::uint64_t count, std::uint64_t per_block) noexcept {
  return (count + per_block - 1) / per_block;
}

inline dim3 grid_of(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

/// For kernels in which `lanes` neighbouring threads share a row and take `units_at_once` units each: rows
/// along x, further units along y.
struct UnitGrid {
  dim3 grid;
  std::uint32_t lanes = 1;
};
inline UnitGrid unit_grid(std::uint64_t num_rows, std::uint32_t units, std::uint32_t units_at_once) {
  const std::uint32_t lanes = std::min(32u, std::bit_ceil(units / units_at_once));
  return {grid_of(blocks_for(num_rows, block_threads / lanes),
                  blocks_for(units, std::uint64_t{lanes} * units_at_once)),
          lanes};
}

/// For kernels that stride over `count` values: enough blocks to fill the device, but no more than there is
/// work for.
inline dim3 strided_grid(const DeviceContext& context, std::uint64_t count) {
  const auto full = 8 * static_cast<std::uint64_t>(context.num_multiprocessors());
  return grid_of(std::min(blocks_for(count, block_threads), full));
}

}  // namespace widehash::cuda
