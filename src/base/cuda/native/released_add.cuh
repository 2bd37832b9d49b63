#pragma once

/// \file
/// The syntax of nvcc again, as in launch.cuh: tests have a file of this name of their own.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// Adds to a number in the device's memory, and gives what it was before. Who sees the sum, and sets a
/// __threadfence() behind that, sees what this thread has stored, and what others had stored before the block's
/// last barrier. A __threadfence() in front of the addition would say the same to others, and to this thread that
/// whatever it reads from now on is new: for that it empties the multiprocessor's first cache, which the
/// blocks beside it read from.
__device__ inline std::uint32_t released_add(std::uint32_t* at, std::uint32_t value) {
  std::uint32_t before = 0;
  asm volatile("atom.add.release.gpu.global.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(at)), "r"(value)
               : "memory");
  return before;
}

}  // namespace widehash::cuda
