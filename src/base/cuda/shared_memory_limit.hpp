#pragma once

#include "cuda_check.hpp"

#include <algorithm>
#include <cstddef>

namespace widehash::cuda {

/// Shared memory that every block may have without asking for more.
inline constexpr std::size_t usual_shared_bytes = std::size_t{48} << 10;

/// Lets the blocks of a kernel have as much shared memory as the current device offers. Always sets the
/// maximum: all host threads that use the device share one limit, so a limit set to what one launch needs
/// would be taken from the launch of another thread.
inline void allow_most_shared_memory(const void* kernel) {
  int device = 0;
  int bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "cudaDeviceGetAttribute");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
}

/// Returns what share of a multiprocessor's shared memory `bytes` are, in percent and rounded up.
inline int percent_of_shared_memory(int bytes) {
  int device = 0;
  int all = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device),
        "cudaDeviceGetAttribute");
  return all > 0 ? std::min((100 * bytes + all - 1) / all, 100) : 100;
}

/// Asks for `percent` of a multiprocessor's memory as shared memory for a kernel, and so for the rest as its
/// first cache. Without it, the kernel may run with what the one before it left.
inline void prefer_shared_memory(const void* kernel, int percent) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent),
        "cudaFuncSetAttribute");
}

}  // namespace widehash::cuda
