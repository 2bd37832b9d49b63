#pragma once

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "grids.hpp"

#include <cstdint>

namespace widehash::cuda {

/// Sums over the rows of a matrix in a fixed order: first partial sums of interleaved rows in double, then
/// the partial sums by pairs. The number of partial sums depends on the shape alone, so the bits are the same
/// on every device.
class ColumnSums {
 public:
  /// compute_numbers() takes as many numbers at once as have `most_partial_bytes` of partial sums, and at
  /// least one.
  explicit ColumnSums(std::uint64_t most_partial_bytes = std::uint64_t{64} << 20) noexcept
      : most_partial_bytes_(most_partial_bytes) {}

  /// sums[u] = sum over rows of values[row, u]. Overwrites.
  void compute(const DeviceContext& context, const float* values, std::uint64_t num_rows, std::uint32_t units,
               float* sums);

  /// sums[u] = sum over rows of weights[row] * values[row, u]. Overwrites.
  void compute_weighted(const DeviceContext& context, const float* values, const float* weights,
                        std::uint64_t num_rows, std::uint32_t units, float* sums);

  /// sums[n, u] = sum over rows of (number n of the row) * values[row, u], for all numbers of the plan. With
  /// `by_column`, the sums of number n are stored at its column instead of at n. Overwrites.
  void compute_numbers(const DeviceContext& context, const DeviceRows& rows, const DevicePlan& plan,
                       const float* values, std::uint32_t units, bool by_column, float* sums);

 private:
  std::uint64_t most_partial_bytes_;
  DeviceBuffer<double> partial_;  // [numbers x slices x units]
};

}  // namespace widehash::cuda
