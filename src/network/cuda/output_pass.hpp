#pragma once

/// \file
/// What lies between the sums of the last hidden layer and its deltas in a network with one output, in one
/// kernel, and the gradients of the weights and biases there: what the pieces of layers.hpp and dense.hpp do
/// in thirteen. With s the sums, b and f the layer's bias and activation, w and c those of the output:
///
///     a = f(s + b)       z = a w + c       e = weight / normaliser * dL/dz
///     delta = e w f'(a)
///     dw = sum of e a    dc = sum of e     db = sum of delta        over rows

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "loss_sums.hpp"
#include "step_status.hpp"

#include <widehash/activation.hpp>
#include <widehash/loss.hpp>

#include <cstdint>

namespace widehash::cuda {

struct OutputTensors {
  const float* sums = nullptr;         // s [rows x units], row-major
  const float* hidden_bias = nullptr;  // b [units]
  const float* weights = nullptr;      // w [units]
  const float* bias = nullptr;         // c [1]
  float* deltas = nullptr;             // [rows x units]
  float* hidden_bias_gradient = nullptr;
  float* weight_gradient = nullptr;
  float* bias_gradient = nullptr;
};

/// Sums over rows are in an order that their number and the number of units alone fix.
class OutputPass {
 public:
  /// Wider layers leave too few blocks to a multiprocessor, and have work enough for kernels of their own.
  static constexpr std::uint32_t most_units = 128;

  /// Fills deltas and gradients, and of the status loss, largest_delta and what is not finite. Softmax has no
  /// such pass.
  void compute(const DeviceContext& context, LossKind loss, ActivationKind activation, const DeviceRows& rows,
               std::uint32_t units, double normaliser, const OutputTensors& tensors, StepStatus* status);

  /// Of one hidden unit.
  struct UnitSums {
    double weight = 0;  // dw
    double bias = 0;    // db
  };

 private:
  DeviceBuffer<LossSums> partial_;       // of blocks
  DeviceBuffer<UnitSums> unit_partial_;  // [blocks x units]
};

}  // namespace widehash::cuda
