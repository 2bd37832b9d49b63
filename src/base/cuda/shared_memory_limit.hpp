#pragma once

#include "cuda_check.hpp"

#include <cstddef>

namespace widehash::cuda {

/// Blocks may have so much shared memory without asking.
inline constexpr std::size_t usual_shared_bytes = std::size_t{48} << 10;

/// Lets the blocks of a kernel have as much as the current device gives. Always that much: the limit is one
/// for all threads of the host that use the device, and set to what one launch wants it would be taken from
/// the launch of another.
inline void allow_most_shared_memory(const void* kernel) {
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
}

}  // namespace widehash::cuda
