#pragma once

/// \file
/// Everything between the sums of the last hidden layer and its deltas in a network with one output,
/// including the gradients of the weights and biases there, in one kernel. The pieces of layers.hpp and
/// dense.hpp take thirteen for this. With the sums s, the layer's bias b and activation f, and the output's
/// weights w and bias c:
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

/// Sums over rows are made in an order that depends on the number of rows and the number of units alone.
class OutputPass {
 public:
  /// Wider layers leave too few blocks to a multiprocessor, and have enough work for kernels of their own.
  static constexpr std::uint32_t most_units = 128;

  /// Fills deltas and gradients, and sets loss, largest_delta and what is not finite in the status. Softmax
  /// has no such pass.
  void compute(const DeviceContext& context, LossKind loss, ActivationKind activation, const DeviceRows& rows,
               std::uint32_t units, double normaliser, const OutputTensors& tensors, StepStatus* status);

  /// The sums of one hidden unit.
  struct UnitSums {
    double weight = 0;  // dw
    double bias = 0;    // db
  };

 private:
  DeviceBuffer<LossSums> partial_;       // of each block
  DeviceBuffer<UnitSums> unit_partial_;  // [blocks x units]
};

}  // namespace widehash::cuda
