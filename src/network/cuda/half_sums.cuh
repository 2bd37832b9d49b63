#pragma once

/// \file
/// 64-bit sums in shared memory, a half in each of two arrays. Multiprocessors add 32 bits there in one
/// instruction; of a 64-bit addition ptxas makes a loop of compare-and-swap, which neighbouring threads at
/// the same sum go through one after the other.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// high : low += value, modulo 2^64, among threads that do the same. In whatever order they come, each wrap
/// of the low half is seen by exactly one of them, who carries it.
__device__ inline void add_in_halves(unsigned* low, unsigned* high, unsigned long long value) {
  const auto low_value = static_cast<unsigned>(value);
  const unsigned before = atomicAdd(low, low_value);
  const unsigned carry = before + low_value < before ? 1 : 0;
  atomicAdd(high, static_cast<unsigned>(value >> 32) + carry);
}

__device__ inline unsigned long long whole_sum(unsigned low, unsigned high) {
  return static_cast<unsigned long long>(high) << 32 | low;
}

}  // namespace widehash::cuda
