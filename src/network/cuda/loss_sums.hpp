#pragma once

#include <cstdint>

namespace widehash::cuda {

/// What the one pass of a network with one output finds out about rows.
struct LossSums {
  double loss = 0;   // weighted
  double delta = 0;  // of the output
  /// Bits of the largest |delta| of what the pass leaves deltas of: as unsigned numbers they are ordered as
  /// the floats are.
  std::uint32_t largest_delta = 0;
};

}  // namespace widehash::cuda
