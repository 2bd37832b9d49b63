#pragma once

/// \file
/// Adds up the weights of the columns that a row sets, in one thread.

#include "device_rows.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace widehash::cuda {

/// The part of a row's columns that a thread takes: `part`, `part + parts`, ... of each kind.
struct RowPart {
  std::uint32_t part = 0;
  std::uint32_t parts = 1;
};

/// Loads a slot, which no kernel may write, by one load of 16 bytes. Member by member it would take three
/// loads.
__device__ inline DeviceSlot loaded_slot(const DeviceSlot* at) {
  const uint4 words = __ldg(reinterpret_cast<const uint4*>(at));
  return {words.x, words.y, words.z, words.w};
}

/// Returns the sum of x load(row of the arrays) over the columns of the plan's range that batch row `row`
/// sets, in the order codes, columns, numbers, ragged. A Sum begins as 0 and has add(x, Sum).
///
/// A code can only be requested once the plan's entry for its slot has arrived, and a weight only once its
/// code has; each load takes up to hundreds of cycles. So `in_flight` slots are loaded together, then their
/// codes, and then their weights.
template <class Sum, unsigned in_flight, class Load>
__device__ Sum sum_of_columns(const DeviceRows& rows, const DevicePlan& plan, std::uint64_t row, RowPart own,
                              const Load& load) {
  Sum sum{};
  // 64-bit comparisons and additions would take the registers of a slot in flight. Staging has checked the
  // stride, and ranges have at most 2^31 columns.
  const auto stride = static_cast<std::uint32_t>(rows.stride);
  const auto num_rows = static_cast<std::uint32_t>(plan.num_rows);
  const auto add_slots = [&](const DeviceSlot* slots, std::uint32_t count, const auto* contents) {
    const auto* const of_row = contents + row;
    for (std::uint32_t first = own.part; first < count; first += in_flight * own.parts) {
      // Slots beyond the last one are replaced by the last: a load is cheaper than a branch, which would wait
      // for the loads before it.
      DeviceSlot slot[in_flight];
      for (unsigned k = 0; k < in_flight; ++k)
        slot[k] = loaded_slot(slots + min(first + k * own.parts, count - 1));
      std::uint32_t content[in_flight];
      for (unsigned k = 0; k < in_flight; ++k) content[k] = of_row[std::uint64_t{slot[k].slot} * stride];
      std::uint32_t at[in_flight];
      for (unsigned k = 0; k < in_flight; ++k) {
        const bool is_slot = first + k * own.parts < count;
        // Not &&, whose branch would stand between the loads of codes.
        const bool is_there = is_slot & (content[k] != slot[k].absent);
        at[k] = is_there ? content[k] + slot[k].shift : 0xFFFFFFFFu;  // beyond every row
      }
      Sum weights[in_flight];
      for (unsigned k = 0; k < in_flight; ++k) {
        weights[k] = Sum{};
        if (at[k] < num_rows) weights[k] = load(at[k]);
      }
      for (unsigned k = 0; k < in_flight; ++k) sum.add(1.0f, weights[k]);
    }
  };
  add_slots(plan.codes, plan.num_codes, rows.codes);
  add_slots(plan.byte_codes, plan.num_byte_codes, rows.byte_codes);
  add_slots(plan.columns, plan.num_columns, rows.columns);
  for (std::uint32_t i = own.part; i < plan.num_numbers; i += own.parts) {
    const DeviceSlot slot = plan.numbers[i];
    sum.add(rows.numbers[slot.slot * rows.stride + row], load(static_cast<std::uint64_t>(slot.shift)));
  }
  if (!plan.has_ragged) return sum;
  const std::uint64_t end = rows.ragged_offsets[row + 1];
  for (std::uint64_t i = rows.ragged_offsets[row] + own.part; i < end; i += own.parts) {
    const auto at = static_cast<std::uint64_t>(rows.ragged[i] - plan.first_column);
    if (at < plan.num_rows) sum.add(1.0f, load(at));
  }
  return sum;
}

}  // namespace widehash::cuda
