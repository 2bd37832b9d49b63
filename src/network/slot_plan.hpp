#pragma once

/// \file
/// Which slots of a code batch reach columns of a range, and how a slot's content becomes a row of that
/// range's arrays.

#include <widehash/code_batch.hpp>
#include <widehash/column_range.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash::detail {

struct PlannedSlot {
  std::uint32_t slot = 0;
  std::uint32_t absent = 0;  // content that stands for nothing; a value out of reach where there is none
  std::int64_t shift = 0;    // row = content + shift; for a number slot the row itself
};

struct SlotPlan {
  std::vector<PlannedSlot> codes;
  std::vector<PlannedSlot> columns;
  std::vector<PlannedSlot> numbers;
  bool has_ragged = false;
  /// Whether a code or column slot may hold the absent mark or a column outside the range.
  bool checked = false;
  std::uint64_t num_rows = 0;  // columns in the range
  std::int64_t first_column = 0;

  bool empty() const noexcept { return codes.empty() && columns.empty() && numbers.empty() && !has_ragged; }
};

/// The plan of all slots that may reach a column of `range`.
SlotPlan make_slot_plan(const CodeLayout& layout, ColumnRange range);

/// The plan cut into parts that own disjoint columns, about 16 slots each: the units of parallel scattering.
std::vector<SlotPlan> split_by_columns(const SlotPlan& plan);

/// Calls one(row_of_range) for every set column of batch row `row`, or weighted(row_of_range, value) for
/// numbers, in the order codes, columns, numbers, ragged, and with the slot's number as the second argument
/// of `one`.
template <bool Checked, class One, class Weighted>
void visit_columns(const SlotPlan& plan, const CodeBatchView& batch, std::size_t row, const One& one,
                   const Weighted& weighted) {
  const auto outside = [&](std::uint32_t content, const PlannedSlot& s) {
    return content == s.absent || static_cast<std::uint64_t>(content + s.shift) >= plan.num_rows;
  };
  const CodeLayout& layout = *batch.layout;
  const std::uint16_t* codes = batch.codes.data() + row * layout.code_stride;
  for (const PlannedSlot& s : plan.codes) {
    const std::uint32_t content = codes[s.slot];
    if (Checked && outside(content, s)) continue;
    one(static_cast<std::size_t>(content + s.shift), s.slot);
  }
  const std::uint32_t* columns = batch.columns.data() + row * layout.column_stride;
  for (const PlannedSlot& s : plan.columns) {
    const std::uint32_t content = columns[s.slot];
    if (Checked && outside(content, s)) continue;
    one(static_cast<std::size_t>(content + s.shift), s.slot);
  }
  const float* numbers = batch.numbers.data() + row * layout.number_stride;
  for (const PlannedSlot& s : plan.numbers) weighted(static_cast<std::size_t>(s.shift), numbers[s.slot]);
  if (plan.has_ragged) {
    for (std::uint64_t i = batch.ragged_offsets[row]; i < batch.ragged_offsets[row + 1]; ++i) {
      const auto at = static_cast<std::uint64_t>(batch.ragged[i] - plan.first_column);
      if (at < plan.num_rows) one(static_cast<std::size_t>(at), 0u);
    }
  }
}

}  // namespace widehash::detail
