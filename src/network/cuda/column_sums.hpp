#pragma once

#include "cuda/device_buffer.hpp"

#include <cstdint>

namespace widehash::cuda {

/// Sums over the rows of a matrix in a fixed order: partial sums of interleaved rows in double, then those in turn. How
/// many there are depends on the shape alone, so the bits are the same on every device.
class ColumnSums {
 public:
  /// sums[u] = sum over rows of factors[row] * values[row, u]; `factors` may be null. Overwrites.
  void compute(const DeviceContext& context, const float* values, const float* factors,
               std::uint64_t num_rows, std::uint32_t units, float* sums);

 private:
  DeviceBuffer<double> partial_;  // [slices x units]
};

}  // namespace widehash::cuda
