#pragma once

/// \file
/// One row's loss, for kernels. The rules are those of loss_rules.hpp.

#include "device_rows.hpp"

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// The target of output k. With one output it is the number itself; with several, it says whether k is the
/// class.
struct TargetOf {
  constexpr float operator()(std::size_t k) const {
    if (num_outputs == 1) return target;
    return static_cast<float>(k) == target ? 1.0f : 0.0f;
  }
  float target;
  std::uint32_t num_outputs;
};

/// Returns the weighted loss of a row with raw outputs z; deltas[k] = weight * inverse_normaliser * dL/dz[k].
template <class Rule>
__device__ double row_loss(const DeviceRows& rows, std::uint64_t row, const float* z,
                           std::uint32_t num_outputs, double inverse_normaliser, float* deltas) {
  const double weight = rows.weights == nullptr ? 1.0 : static_cast<double>(rows.weights[row]);
  return weight * Rule::row(z, TargetOf{rows.targets[row], num_outputs}, num_outputs,
                            weight * inverse_normaliser, deltas);
}

}  // namespace widehash::cuda
