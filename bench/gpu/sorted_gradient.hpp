#pragma once

/// \file
/// The gradient of one unit by sorting what is to be added by column and adding up runs of equal columns,
/// both by CUB. As first_layer_variants.hpp.

#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"

#include <cstddef>
#include <cstdint>

namespace widehash::bench {

class SortedGradient {
 public:
  /// For batches of `num_rows` rows.
  SortedGradient(const cuda::DeviceContext& context, const cuda::DevicePlan& plan, std::uint64_t num_rows);

  /// gradient[c] = sum over rows that set c of deltas[row]; columns that no row sets stay as they are.
  void compute(const cuda::DeviceRows& rows, const cuda::DevicePlan& plan, const float* deltas,
               float* gradient);

 private:
  const cuda::DeviceContext& context_;
  std::uint64_t num_entries_;
  int column_bits_;
  // Of every entry: its column and its row, and the same in the order of columns.
  cuda::DeviceBuffer<std::uint32_t> columns_;
  cuda::DeviceBuffer<std::uint32_t> rows_;
  cuda::DeviceBuffer<std::uint32_t> sorted_columns_;
  cuda::DeviceBuffer<std::uint32_t> sorted_rows_;
  // Of every column that has any.
  cuda::DeviceBuffer<std::uint32_t> run_columns_;
  cuda::DeviceBuffer<float> run_sums_;
  cuda::DeviceBuffer<std::uint64_t> num_runs_;
  cuda::DeviceBuffer<std::byte> scratch_;
};

}  // namespace widehash::bench
