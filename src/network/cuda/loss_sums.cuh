#pragma once

/// \file
/// How blocks combine their LossSums.

#include "finite.cuh"
#include "loss_sums.hpp"
#include "step_status.hpp"

#include <cuda_runtime.h>
#include <released_add.cuh>

namespace widehash::cuda {

__device__ inline std::uint32_t magnitude_bits(float value) { return __float_as_uint(value) & 0x7FFFFFFFu; }

__device__ inline LossSums& operator+=(LossSums& sums, const LossSums& other) {
  sums.loss += other.loss;
  sums.delta += other.delta;
  sums.largest_delta = max(sums.largest_delta, other.largest_delta);
  return sums;
}

/// Loads what another block has stored, past the L1 cache, which does not see the stores of other
/// multiprocessors.
__device__ inline LossSums stored_sums(const LossSums* partial) {
  return {__ldcg(&partial->loss), __ldcg(&partial->delta), __ldcg(&partial->largest_delta)};
}

/// Whether this is the last block of the grid to call this: it then sees what the others have stored before.
/// All threads of the block must call it.
__device__ inline bool is_last_block(StepStatus* status) {
  bool is_last = false;
  // The stores of the block's threads come before the barrier, and so before the addition that follows it.
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = released_add(&status->blocks_done, 1) == gridDim.x - 1;
    if (is_last) __threadfence();
  }
  return __syncthreads_or(is_last) != 0;
}

/// Reports the sums of all rows. One thread calls it.
__device__ inline void write_losses(const LossSums& sums, float* bias_gradient, StepStatus* status) {
  status->loss = sums.loss;
  status->largest_delta = sums.largest_delta;
  status->blocks_done = 0;
  *bias_gradient = static_cast<float>(sums.delta);
  // If an output is not finite, neither is its loss, whatever the target and the weight.
  if (!is_finite(sums.loss)) status->outputs_not_finite = 1;
  if (!is_finite(*bias_gradient)) status->gradient_not_finite = 1;
}

}  // namespace widehash::cuda
