#pragma once

#include <cstdint>

namespace widehash::cuda {

/// What kernels find out about a step. Loss and largest delta are those of one step. What is not finite stays
/// set until the host, which may look some steps later, has seen it: no step after a refused one changes
/// anything.
struct StepStatus {
  double loss = 0;
  /// Bits of the largest |delta| of the first layer. As unsigned numbers, they are ordered as the floats are.
  std::uint32_t largest_delta = 0;
  std::uint32_t outputs_not_finite = 0;  // outputs or their loss
  std::uint32_t gradient_not_finite = 0;
  std::uint32_t blocks_done = 0;  // of the kernel that is running; 0 between kernels
};

}  // namespace widehash::cuda
