#pragma once

/// \file
/// The first layer on a device: gather-sum, and its transpose with sums in fixed point. See docs/gpu.md for the design.
///
/// Fixed point. A column's gradient is the sum of x_c dZ[row] over many rows, in the order in which blocks happen to run.
/// Integers add to the same in any order: deltas become 64-bit integers, delta * 2^e, with the largest e at which no sum
/// can overflow:
///
///     |sum| <= terms * max|dZ| < 2^t * 2^m,   e = 62 - t - m
///
/// where terms, the most a column can get, is max(rows, ragged entries). A delta is then rounded to 2^-(62 - t) of the
/// largest, 2^-45 for a batch of 65,536 rows: finer than the float it is. Numbers are not in that bound; their columns are
/// summed in double in a fixed order.

#include "column_sums.hpp"
#include "cuda/device_buffer.hpp"
#include "device_rows.hpp"
#include "slot_plan_copy.hpp"
#include "step_status.hpp"

#include <cstdint>

namespace widehash::cuda {

/// to[slot * stride + row] = from[row * row_size + slot]. For codes of either size, columns and numbers.
template <class T>
void transpose(const T* from, std::uint64_t num_rows, std::uint32_t num_slots, std::uint64_t row_size,
               std::uint64_t stride, T* to, const Stream& stream);

/// sums[row, :] = sum over the row's columns of the range of x_c weights[c, :]. Overwrites. Each row in the order codes,
/// columns, numbers, ragged, whatever the batch.
void gather_sum(const DeviceRows& rows, const DevicePlan& plan, const float* weights, std::uint32_t units,
                float* sums, const Stream& stream);

/// Memory of the gradient beside the gradient itself.
class FirstLayerGradient {
 public:
  FirstLayerGradient(const DeviceContext& context, std::uint64_t num_columns, std::uint32_t units);

  /// gradient[c, :] = sum over rows that set c of x_c deltas[row, :]. Overwrites all of it. Finds status->largest_delta,
  /// which must be 0 before.
  void compute(const DeviceRows& rows, const SlotPlanCopy& plan, const float* deltas, StepStatus* status,
               float* gradient);

  /// Bytes of a column's unit beside gradient and parameters.
  static constexpr std::size_t bytes_per_value = sizeof(std::uint64_t);

 private:
  const DeviceContext& context_;
  std::uint32_t units_;
  DeviceBuffer<unsigned long long> sums_;  // [columns x units], 0 between steps
  DeviceBuffer<long long> fixed_;          // deltas in fixed point, [rows x units]
  ColumnSums column_sums_;                 // for the columns of numbers
};

}  // namespace widehash::cuda
