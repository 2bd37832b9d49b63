#pragma once

#include <cuda_runtime.h>

namespace widehash::cuda {

/// Adds up `own` of the first `count` threads of a block, by pairs in a fixed order. Thread 0 gets the sum.
/// All threads of the block must call it. `scratch` is shared memory for `count` sums, a power of two.
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

/// Adds up `own` for each lane, by pairs of turns in a fixed order. Thread `turn * lanes + lane`, one of the
/// first `lanes * turns` of a block, has that turn and lane. The threads of turn 0 get the sums. All threads
/// of the block must call it. `scratch` is shared memory for one sum per thread.
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
