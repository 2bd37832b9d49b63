#pragma once

/// \file
/// Selects the slots of a code batch that reach columns of a range, and maps the content of a slot to a row
/// of that range's arrays.

#include <widehash/code_batch.hpp>
#include <widehash/internal/column_range.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash::detail {

struct PlannedSlot {
  std::uint32_t slot = 0;
  std::uint32_t absent = 0;  // content that stands for no value; a value that cannot occur if there is none
  std::int64_t shift = 0;    // row = content + shift; for a number slot, the row itself
  /// Contents that stand for a value are below it; the range may cut off some of them.
  std::uint64_t num_columns = 1;
};

struct SlotPlan {
  std::vector<PlannedSlot> codes;       // of 16 bits
  std::vector<PlannedSlot> byte_codes;  // of 8 bits
  std::vector<PlannedSlot> columns;
  std::vector<PlannedSlot> numbers;
  bool has_ragged = false;
  /// Whether a code or column slot may hold the absent mark or a column outside the range.
  bool checked = false;
  std::uint64_t num_rows = 0;  // columns in the range
  std::int64_t first_column = 0;

  bool has_others() const noexcept { return !columns.empty() || !numbers.empty() || has_ragged; }
};

/// Makes the plan of all slots that may reach a column of `range`.
SlotPlan make_slot_plan(const CodeLayout& layout, ColumnRange range);

/// Cuts the plan into parts that own disjoint columns, for up to `num_threads` threads that scatter in
/// parallel. The cut changes no sum. Parts have as many slots as this allows: the more slots a row adds to in
/// turn, the less an addition waits for the one to the same column in the row before.
std::vector<SlotPlan> split_by_columns(const SlotPlan& plan, std::size_t num_threads);

/// Whether the content of a slot stands for no value or for a column outside the range.
inline bool is_outside(const SlotPlan& plan, const PlannedSlot& slot, std::uint32_t content) noexcept {
  return content == slot.absent || static_cast<std::uint64_t>(content + slot.shift) >= plan.num_rows;
}

/// Calls one(row_of_range, place, count) for every column that a code of batch row `row` sets, those of
/// 16-bit codes first. `place` is the place of the slot among the `count` slots of its size in the plan.
template <bool Checked, class One>
void visit_codes(const SlotPlan& plan, const CodeBatchView& batch, std::size_t row, const One& one) {
  const auto visit = [&](const std::vector<PlannedSlot>& slots, const auto* codes) {
    for (std::size_t place = 0; place < slots.size(); ++place) {
      const PlannedSlot& s = slots[place];
      const std::uint32_t content = codes[s.slot];
      if (Checked && is_outside(plan, s, content)) continue;
      one(static_cast<std::size_t>(content + s.shift), place, slots.size());
    }
  };
  visit(plan.codes, batch.row_codes(row));
  visit(plan.byte_codes, batch.row_byte_codes(row));
}

/// Calls one(row_of_range) for every other set column of the row, or weighted(row_of_range, value) for
/// numbers, in the order columns, numbers, ragged.
template <bool Checked, class One, class Weighted>
void visit_others(const SlotPlan& plan, const CodeBatchView& batch, std::size_t row, const One& one,
                  const Weighted& weighted) {
  const CodeLayout& layout = *batch.layout;
  const std::uint32_t* columns = batch.columns.data() + row * layout.column_stride;
  for (const PlannedSlot& s : plan.columns) {
    const std::uint32_t content = columns[s.slot];
    if (Checked && is_outside(plan, s, content)) continue;
    one(static_cast<std::size_t>(content + s.shift));
  }
  const float* numbers = batch.numbers.data() + row * layout.number_stride;
  for (const PlannedSlot& s : plan.numbers) weighted(static_cast<std::size_t>(s.shift), numbers[s.slot]);
  if (plan.has_ragged) {
    for (std::uint64_t i = batch.ragged_offsets[row]; i < batch.ragged_offsets[row + 1]; ++i) {
      const auto at = static_cast<std::uint64_t>(batch.ragged[i] - plan.first_column);
      if (at < plan.num_rows) one(static_cast<std::size_t>(at));
    }
  }
}

}  // namespace widehash::detail
