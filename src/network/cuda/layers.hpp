#pragma once

/// \file
/// What lies between the first layer and the loss on a device, one pass over memory each. Matrices are
/// row-major, [rows x units]; everything is queued on the context's stream.

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

/// deltas *= f'(values), values being activations.
void through_activation(const DeviceContext& context, ActivationKind activation, const float* values,
                        std::uint64_t count, float* deltas);

/// The weighted losses of rows, summed in a fixed order.
class LossSum {
 public:
  /// Fills deltas [rows x outputs] with weight / normaliser * dL/dz, and of the status the loss. Sets
  /// outputs_not_finite where an output or the loss is not.
  void compute(const DeviceContext& context, LossKind kind, const DeviceRows& rows, std::uint32_t num_outputs,
               const float* outputs, double normaliser, float* deltas, StepStatus* status);

 private:
  DeviceBuffer<double> partial_;
};

/// Raw outputs to predictions, in place.
void apply_link(const DeviceContext& context, LossKind kind, std::uint64_t num_rows,
                std::uint32_t num_outputs, float* outputs);

/// Sets status->gradient_not_finite where a value is infinite or no number.
void look_for_not_finite(const DeviceContext& context, const float* values, std::uint64_t count,
                         StepStatus* status);

/// Of a gradient to which others add theirs: refusals[0] = 1 where the status says that outputs are not
/// finite, otherwise 0; refusals[1] of the gradient.
void tell_refusals(const DeviceContext& context, const StepStatus* status, float* refusals);
/// Of that sum: sets the status as look_for_not_finite() does for `first` and `tail`, and by the refusals of
/// all, which lie behind the tail.
void check_gradient(const DeviceContext& context, const float* first, std::uint64_t first_size,
                    const float* tail, std::uint64_t tail_size, StepStatus* status);
/// status->loss = 0
void clear_loss(const DeviceContext& context, StepStatus* status);

/// values *= factor, rounded once from double.
void scale(const DeviceContext& context, double factor, std::uint64_t count, float* values);

}  // namespace widehash::cuda
