#include "slot_plan.hpp"

#include <widehash/first_layer.hpp>

#include <algorithm>
#include <span>

namespace widehash::detail {
namespace {

// No code is that large, and as a local column it is always the mark.
constexpr std::uint32_t no_mark = 0xFFFFFFFF;
constexpr std::size_t fewest_slots_per_part = 16;

/// The columns [begin, end) of the matrix that a slot can name.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// If a block has one slot per split, each slot has the columns of one split. Any other slot may name all
/// columns of its block.
Span slot_columns(const FeatureBlock& block, std::uint32_t index) noexcept {
  if (block.num_slots == num_splits && block.width > 0) {
    const std::uint64_t begin = block.column_offset + std::uint64_t{index} * block.width;
    return {begin, begin + block.width};
  }
  return {block.column_offset, block.column_offset + block.num_columns};
}

bool overlap(Span span, ColumnRange range) noexcept {
  return span.begin < range.end && range.begin < span.end;
}

/// The list of a plan that has the slots of this kind. Not for ragged, which has no slots.
std::vector<PlannedSlot> SlotPlan::*list_of(SlotKind kind) noexcept {
  if (kind == SlotKind::codes) return &SlotPlan::codes;
  if (kind == SlotKind::byte_codes) return &SlotPlan::byte_codes;
  return kind == SlotKind::columns ? &SlotPlan::columns : &SlotPlan::numbers;
}

/// A plan without slots for the same range.
SlotPlan empty_part(const SlotPlan& whole) {
  SlotPlan part;
  part.checked = whole.checked;
  part.num_rows = whole.num_rows;
  part.first_column = whole.first_column;
  return part;
}

std::size_t slots_per_part(std::size_t num_slots, std::size_t num_threads) noexcept {
  // Parts have whole features of four slots.
  const std::size_t share = (num_slots / 4 + num_threads - 1) / num_threads * 4;
  return std::max(share, fewest_slots_per_part);
}

/// Cuts the codes of both sizes as one sequence, so that a part is as wide as it may be, and in the order of
/// their columns, so that a part owns neighbours. Most of its columns then fall to the same thread in the
/// passes over a gradient by shares (chunks.hpp).
void cut_codes(const SlotPlan& plan, std::size_t num_threads, std::vector<SlotPlan>& parts) {
  const std::size_t num_codes = plan.codes.size() + plan.byte_codes.size();
  const std::size_t step = slots_per_part(num_codes, num_threads);
  std::span<const PlannedSlot> wide(plan.codes);
  std::span<const PlannedSlot> bytes(plan.byte_codes);
  for (std::size_t taken = 0; taken < num_codes; ++taken) {
    if (taken % step == 0) parts.push_back(empty_part(plan));
    const bool is_wide = bytes.empty() || (!wide.empty() && wide.front().shift < bytes.front().shift);
    auto& rest = is_wide ? wide : bytes;
    (is_wide ? parts.back().codes : parts.back().byte_codes).push_back(rest.front());
    rest = rest.subspan(1);
  }
}

void cut(const SlotPlan& plan, std::vector<PlannedSlot> SlotPlan::*kind, std::size_t num_threads,
         std::vector<SlotPlan>& parts) {
  const std::vector<PlannedSlot>& slots = plan.*kind;
  const std::size_t step = slots_per_part(slots.size(), num_threads);
  for (std::size_t begin = 0; begin < slots.size(); begin += step) {
    SlotPlan part = empty_part(plan);
    const auto count = static_cast<std::ptrdiff_t>(std::min(step, slots.size() - begin));
    const auto first = slots.begin() + static_cast<std::ptrdiff_t>(begin);
    (part.*kind).assign(first, first + count);
    parts.push_back(std::move(part));
  }
}

}  // namespace

SlotPlan make_slot_plan(const CodeLayout& layout, ColumnRange range) {
  SlotPlan plan;
  plan.num_rows = range.size();
  plan.first_column = static_cast<std::int64_t>(range.begin);
  // Blocks lie side by side. Those of one feature are found without a look at all others.
  const auto first = std::ranges::partition_point(layout.blocks, [&](const FeatureBlock& block) {
    return block.column_offset + block.num_columns <= range.begin;
  });
  const auto skipped = static_cast<std::size_t>(first - layout.blocks.begin());
  for (const FeatureBlock& block : std::span(layout.blocks).subspan(skipped)) {
    if (block.column_offset >= range.end) break;
    if (block.slot_kind == SlotKind::ragged) {
      plan.has_ragged |= overlap({block.column_offset, block.column_offset + block.num_columns}, range);
      continue;
    }
    for (std::uint32_t i = 0; i < block.num_slots; ++i) {
      const Span span = slot_columns(block, i);
      if (!overlap(span, range)) continue;
      const bool inside = span.begin >= range.begin && span.end <= range.end;
      // The content of a column slot counts from the block's first column, whichever split it belongs to.
      const std::uint64_t zero = block.slot_kind == SlotKind::columns ? block.column_offset : span.begin;
      (plan.*list_of(block.slot_kind))
          .push_back({.slot = block.slot + i,
                      .absent = block.has_codes() && block.may_be_absent ? block.absent_mark() : no_mark,
                      .shift = static_cast<std::int64_t>(zero) - static_cast<std::int64_t>(range.begin),
                      .num_columns = span.end - zero});
      plan.checked |= block.slot_kind != SlotKind::numbers && (block.may_be_absent || !inside);
    }
  }
  return plan;
}

std::vector<SlotPlan> split_by_columns(const SlotPlan& plan, std::size_t num_threads) {
  std::vector<SlotPlan> parts;
  cut_codes(plan, num_threads, parts);
  cut(plan, &SlotPlan::columns, num_threads, parts);
  cut(plan, &SlotPlan::numbers, num_threads, parts);
  if (plan.has_ragged) {
    // All ragged columns go to one part: a run does not say where one feature's columns end.
    SlotPlan part = empty_part(plan);
    part.has_ragged = true;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace widehash::detail

namespace widehash {

std::vector<std::uint64_t> slot_borders(const CodeLayout& layout) {
  std::vector<std::uint64_t> borders;
  for (const FeatureBlock& block : layout.blocks) {
    borders.push_back(block.column_offset);
    for (std::uint32_t i = 1; i < block.num_slots; ++i)
      borders.push_back(detail::slot_columns(block, i).begin);
  }
  borders.push_back(layout.num_columns);
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

}  // namespace widehash
