#pragma once

/// \file
/// 64-bit sums in shared memory, stored as halves in two arrays. Multiprocessors add 32 bits there in one
/// instruction. ptxas turns a 64-bit addition into a compare-and-swap loop, which neighbouring threads that
/// add to the same sum go through one after the other.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// high : low += value, modulo 2^64, while other threads do the same. In whatever order they come, exactly
/// one thread sees each wrap of the low half, and that thread carries it.
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
