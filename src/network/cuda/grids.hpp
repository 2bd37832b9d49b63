#pragma once

/// \file
/// How many blocks a kernel is started with.

#include "cuda/device_context.hpp"

#include <algorithm>
#include <cstdint>

namespace widehash::cuda {

inline constexpr unsigned block_threads = 256;

constexpr std::uint64_t blocks_for(std::uint64_t count, std::uint64_t per_block) noexcept {
  return (count + per_block - 1) / per_block;
}

inline dim3 grid_of(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) {
  return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
}

/// For kernels that stride over `count` values: enough blocks to fill the device, and not more than there is work for.
inline dim3 strided_grid(const DeviceContext& context, std::uint64_t count) {
  const auto full = 8 * static_cast<std::uint64_t>(context.num_multiprocessors());
  return grid_of(std::min(blocks_for(count, block_threads), full));
}

}  // namespace widehash::cuda
