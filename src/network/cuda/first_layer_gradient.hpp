#pragma once

/// \file
/// The gradient of the first layer on a device, in fixed point (fixed_point.cuh): the bits are the same in
/// whatever order blocks run. The bound that fixed point needs does not cover columns of numbers, so they are
/// summed in double in a fixed order. See docs/gpu.md for the design.

#include "column_sums.hpp"
#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "scatter_tiles.hpp"
#include "slot_plan_copy.hpp"
#include "step_status.hpp"

#include <cstdint>

namespace widehash::cuda {

/// Sets status->largest_delta to the bits of the largest |deltas[i]|.
void find_largest_delta(const DeviceContext& context, const float* deltas, std::uint64_t count,
                        StepStatus* status);

/// Returns t of fixed_point.cuh for these rows.
int term_bits_of(const DeviceRows& rows) noexcept;

class FirstLayerGradient {
 public:
  FirstLayerGradient(const DeviceContext& context, std::uint64_t num_columns, std::uint32_t units);

  /// sums()[c, :] = sum over rows that set c of deltas[row, :], except for numbers, in the fixed point of
  /// status->largest_delta. The sums must be 0 before; if a delta is not finite, they stay 0.
  void add_up(const DeviceRows& rows, const SlotPlanCopy& plan, const ScatterTiles& tiles,
              const float* deltas, const StepStatus* status);

  /// Returns [numbers x units] for the plan's numbers: the sum over rows of x deltas[row, :], added up in
  /// double.
  const float* add_up_numbers(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas);

  /// gradient[c, :] = sum over rows that set c of x_c deltas[row, :], from the sums of add_up(), which are 0
  /// again afterwards. Overwrites all of it. Not finite if a delta is not finite.
  void finish(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas, const StepStatus* status,
              float* gradient);

  /// The sums, [columns x units]. The code that takes them must set them back to 0.
  unsigned long long* sums() const noexcept { return sums_.data(); }

  /// Bytes for each unit of a column, beside gradient and parameters.
  static constexpr std::size_t bytes_per_value = sizeof(std::uint64_t);

 private:
  const DeviceContext& context_;
  std::uint32_t units_;
  DeviceBuffer<unsigned long long> sums_;
  ColumnSums column_sums_;  // for the columns of numbers
  DeviceBuffer<float> number_sums_;
};

}  // namespace widehash::cuda
