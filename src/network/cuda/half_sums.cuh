#pragma once

/// \file
/// 64-bit sums in shared memory, stored as halves in two arrays. Multiprocessors add 32 bits there in one
/// instruction. ptxas turns a 64-bit addition into a compare-and-swap loop, which neighbouring threads that
/// add to the same sum go through one after the other.

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// low[i][to_high] : low[i][0] += value[i], modulo 2^64, while other threads do the same. In whatever order
/// they come, exactly one thread sees each wrap of a low half, and that thread carries it. Written so that all low
/// halves may be on their way before the first high half waits for one; ptxas does so where it has the registers.
template <unsigned count>
__device__ inline void add_in_halves(unsigned* const (&low)[count], std::uint32_t to_high,
                                     const unsigned long long (&value)[count]) {
  unsigned before[count];
  for (unsigned i = 0; i < count; ++i) before[i] = atomicAdd(low[i], static_cast<unsigned>(value[i]));
  for (unsigned i = 0; i < count; ++i) {
    const unsigned carry = before[i] + static_cast<unsigned>(value[i]) < before[i] ? 1 : 0;
    atomicAdd(low[i] + to_high, static_cast<unsigned>(value[i] >> 32) + carry);
  }
}

__device__ inline unsigned long long whole_sum(unsigned low, unsigned high) {
  return static_cast<unsigned long long>(high) << 32 | low;
}

}  // namespace widehash::cuda
