#pragma once

#include <cstdint>

namespace widehash::cuda {

/// What kernels find out about a step, for the host. All 0 when the step begins.
struct StepStatus {
  double loss = 0;
  /// Bits of the largest |delta| of the first layer: as unsigned numbers they are ordered as the floats are.
  std::uint32_t largest_delta = 0;
  std::uint32_t outputs_not_finite = 0;
  std::uint32_t gradient_not_finite = 0;
  std::uint32_t unused = 0;  // no byte of what is copied is undefined
};

}  // namespace widehash::cuda
