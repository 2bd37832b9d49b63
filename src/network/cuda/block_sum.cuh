#pragma once

#include <cuda_runtime.h>

namespace widehash::cuda {

/// What the first `count` threads of a block have, added up for thread 0 by pairs in a fixed order. All
/// threads of the block call it; `scratch` is shared memory for `count` sums, a power of two.
template <class Sum>
__device__ Sum block_sum(const Sum& own, Sum* scratch, unsigned count) {
  if (threadIdx.x < count) scratch[threadIdx.x] = own;
  __syncthreads();
  for (unsigned half = count / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) scratch[threadIdx.x] += scratch[threadIdx.x + half];
    __syncthreads();
  }
  return scratch[0];
}

/// What the threads of a block have, thread `turn * lanes + lane` of the first `lanes * turns`, added up for
/// each lane by pairs of turns in a fixed order; the sum is that of turn 0. All threads of the block call it;
/// `scratch` is shared memory for a sum a thread.
template <class Sum>
__device__ Sum sum_of_turns(const Sum& own, Sum* scratch, unsigned lanes, unsigned turns) {
  scratch[threadIdx.x] = own;
  __syncthreads();
  for (unsigned left = turns; left > 1;) {
    const unsigned kept = (left + 1) / 2;
    if (threadIdx.x < (left - kept) * lanes) scratch[threadIdx.x] += scratch[threadIdx.x + kept * lanes];
    left = kept;
    __syncthreads();
  }
  return scratch[threadIdx.x];
}

}  // namespace widehash::cuda
