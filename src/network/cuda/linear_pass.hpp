#pragma once

/// \file
/// The forward pass and the loss of a network with one output and no hidden layer, in one kernel: nothing
/// goes through memory between the weights and the deltas. The pieces of gather_sum.hpp and layers.hpp take
/// six kernels for this.

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

/// Settings of LinearPass on the current device. Without them it may run with a smaller first cache, from
/// which it takes hot weights.
void prepare_linear_pass();

/// Sums over rows are made in an order that depends on the number of rows alone.
class LinearPass {
 public:
  /// Fills deltas and bias_gradient, and sets loss, largest_delta and what is not finite in the status.
  /// Softmax has no such pass.
  void compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows, const DevicePlan& plan,
               double normaliser, const LinearTensors& tensors, StepStatus* status);

 private:
  DeviceBuffer<LossSums> partial_;  // of each block
};

}  // namespace widehash::cuda
