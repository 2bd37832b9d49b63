#pragma once

/// \file
/// The operations between the first layer and the loss on a device, each one pass over memory. Matrices are
/// row-major, [rows x units]. Everything is queued on the context's stream.

#include "column_sums.hpp"
#include "device_rows.hpp"
#include "step_status.hpp"

#include <widehash/activation.hpp>
#include <widehash/loss.hpp>

#include <cstdint>

namespace widehash::cuda {

/// values = f(values + bias)
void add_bias(const DeviceContext& context, const float* bias, ActivationKind activation,
              std::uint64_t num_rows, std::uint32_t units, float* values);

/// deltas *= f'(values), where values are activations.
void through_activation(const DeviceContext& context, ActivationKind activation, const float* values,
                        std::uint64_t count, float* deltas);

/// Sums the weighted losses of rows in a fixed order.
class LossSum {
 public:
  /// Fills deltas [rows x outputs] with weight / normaliser * dL/dz and sets status->loss. Sets
  /// outputs_not_finite if an output or the loss is not finite.
  void compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows, std::uint32_t num_outputs,
               const float* outputs, double normaliser, float* deltas, StepStatus* status);

 private:
  DeviceBuffer<double> partial_;
};

/// Turns raw outputs into predictions, in place.
void apply_link(const DeviceContext& context, LossKind kind, std::uint64_t num_rows,
                std::uint32_t num_outputs, float* outputs);

/// Sets status->gradient_not_finite if a value is infinite or NaN.
void look_for_not_finite(const DeviceContext& context, const float* values, std::uint64_t count,
                         StepStatus* status);

/// For a gradient to which other devices add theirs: sets refusals[0] to 1 if the status says that outputs
/// are not finite, and to 0 otherwise; refusals[1] likewise for the gradient.
void write_refusals(const DeviceContext& context, const StepStatus* status, float* refusals);
/// For the sum of these gradients: sets the status as look_for_not_finite() does for `first` and `tail`, and
/// by the refusals of all devices, which follow the tail.
void check_gradient(const DeviceContext& context, const float* first, std::uint64_t first_size,
                    const float* tail, std::uint64_t tail_size, StepStatus* status);
/// status->loss = 0
void clear_loss(const DeviceContext& context, StepStatus* status);

/// values *= factor, rounded once from double.
void scale(const DeviceContext& context, double factor, std::uint64_t count, float* values);

}  // namespace widehash::cuda
