#pragma once

/// \file
/// The gradient of the first layer on a device, in fixed point (fixed_point.cuh): the same bits in whatever
/// order blocks run. Columns of numbers are not in the bound that fixed point needs; they are summed in
/// double in a fixed order. See docs/gpu.md for the design.

#include "column_sums.hpp"
#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "scatter_tiles.hpp"
#include "slot_plan_copy.hpp"
#include "step_status.hpp"

#include <cstdint>

namespace widehash::cuda {

/// status->largest_delta = the bits of the largest |deltas[i]|.
void find_largest_delta(const DeviceContext& context, const float* deltas, std::uint64_t count,
                        StepStatus* status);

/// t of fixed_point.cuh.
int term_bits_of(const DeviceRows& rows) noexcept;

class FirstLayerGradient {
 public:
  FirstLayerGradient(const DeviceContext& context, std::uint64_t num_columns, std::uint32_t units);

  /// sums()[c, :] = sum over rows that set c of deltas[row, :], numbers apart, in the fixed point of
  /// status->largest_delta. The sums must be 0 before; where a delta is not finite they stay so.
  void add_up(const DeviceRows& rows, const SlotPlanCopy& plan, const ScatterTiles& tiles,
              const float* deltas, const StepStatus* status);

  /// [numbers x units] for the plan's numbers: the sum over rows of x deltas[row, :], in double.
  const float* add_up_numbers(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas);

  /// gradient[c, :] = sum over rows that set c of x_c deltas[row, :], from what add_up() left, which is 0
  /// again behind it. Overwrites all of it. Not finite where a delta is not.
  void finish(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas, const StepStatus* status,
              float* gradient);

  /// [columns x units]. Whoever takes them leaves 0 behind.
  unsigned long long* sums() const noexcept { return sums_.data(); }

  /// Bytes of a column's unit beside gradient and parameters.
  static constexpr std::size_t bytes_per_value = sizeof(std::uint64_t);

 private:
  const DeviceContext& context_;
  std::uint32_t units_;
  DeviceBuffer<unsigned long long> sums_;
  ColumnSums column_sums_;  // for the columns of numbers
  DeviceBuffer<float> number_sums_;
};

}  // namespace widehash::cuda
