#pragma once

/// \file
/// More syntax of nvcc, as in launch.cuh: tests have a file of this name of their own.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// Adds `value` to a number in device memory and returns the number before the addition. A thread that sees
/// the sum, and then calls __threadfence(), sees what this thread has stored, and what others had stored
/// before the block's last barrier. A __threadfence() before the addition would guarantee the same to others,
/// but also guarantee this thread that all its later reads are new: for that it empties the multiprocessor's
/// L1 cache, which neighbouring blocks read from.
__device__ inline std::uint32_t released_add(std::uint32_t* at, std::uint32_t value) {
  std::uint32_t before = 0;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(at)), "r"(value)
               : "memory");
  return before;
}

}  // namespace widehash::cuda
