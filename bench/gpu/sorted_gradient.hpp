#pragma once

/// \file
/// The gradient for one unit by sorting the terms by column and summing runs of equal columns, both with CUB.
/// See first_layer_variants.hpp.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"

#include <cstddef>
#include <cstdint>

namespace widehash::bench {

class SortedGradient {
 public:
  /// For batches of `num_rows` rows.
  SortedGradient(const cuda::DeviceContext& context, const cuda::DevicePlan& plan, std::uint64_t num_rows);

  /// gradient[c] = sum over rows that set c of deltas[row]; columns that no row sets are left unchanged.
  void compute(const cuda::DeviceRows& rows, const cuda::DevicePlan& plan, const float* deltas,
               float* gradient);

 private:
  const cuda::DeviceContext& context_;
  std::uint64_t num_entries_;
  int column_bits_;
  // The column and the row of every entry, unsorted and sorted by column.
  cuda::DeviceBuffer<std::uint32_t> columns_;
  cuda::DeviceBuffer<std::uint32_t> rows_;
  cuda::DeviceBuffer<std::uint32_t> sorted_columns_;
  cuda::DeviceBuffer<std::uint32_t> sorted_rows_;
  // One item per column that occurs.
  cuda::DeviceBuffer<std::uint32_t> run_columns_;
  cuda::DeviceBuffer<float> run_sums_;
  cuda::DeviceBuffer<std::uint64_t> num_runs_;
  cuda::DeviceBuffer<std::byte> scratch_;
};

}  // namespace widehash::bench
