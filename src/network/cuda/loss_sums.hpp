#pragma once

#include <cstdint>

namespace widehash::cuda {

/// What the single pass of a network with one output sums up over rows.
struct LossSums {
  double loss = 0;   // weighted
  double delta = 0;  // of the output
  /// Bits of the largest |delta| among the deltas that the pass stores. As unsigned numbers, they are ordered
  /// as the floats are.
  std::uint32_t largest_delta = 0;
};

}  // namespace widehash::cuda
