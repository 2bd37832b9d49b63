#pragma once

/// \file
/// Forward pass and loss of a network with one output and no hidden layer, in one kernel: between the weights
/// and the deltas nothing goes through memory. What the pieces of gather_sum.hpp and layers.hpp do in six.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "loss_sums.hpp"
#include "step_status.hpp"

#include <widehash/loss.hpp>

#include <cstdint>

namespace widehash::cuda {

struct LinearTensors {
  const float* weights = nullptr;  // [columns of the range]
  const float* bias = nullptr;     // [1]
  float* deltas = nullptr;         // [rows]
  float* bias_gradient = nullptr;  // [1]
};

/// Sums over rows are in an order that their number alone fixes.
class LinearPass {
 public:
  /// Fills deltas and bias_gradient, and of the status loss, largest_delta and what is not finite. Softmax
  /// has no such pass.
  void compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows, const DevicePlan& plan,
               double normaliser, const LinearTensors& tensors, StepStatus* status);

 private:
  DeviceBuffer<LossSums> partial_;  // of blocks
};

}  // namespace widehash::cuda
