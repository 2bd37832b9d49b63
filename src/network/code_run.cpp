#include "kernels.hpp"
#include "slot_plan.hpp"

#include <algorithm>

namespace widehash::detail {
namespace {

bool are_neighbours(const std::vector<PlannedSlot>& slots) noexcept {
  return slots.empty() || slots.back().slot - slots.front().slot + 1 == slots.size();
}

SlotRun make_slot_run(const std::vector<PlannedSlot>& slots) {
  SlotRun run;
  if (slots.empty()) return run;
  run.first_slot = slots.front().slot;
  run.num_slots = static_cast<std::uint32_t>(slots.size());
  const std::size_t padded = std::max(slots.size(), num_partial_sums);
  run.shifts.resize(padded);
  run.absents.resize(padded);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // A column before the range wraps around to a number beyond it, since ranges are shorter than 2^31.
    run.shifts[i] = static_cast<std::uint32_t>(slots[i].shift);
    run.absents[i] = slots[i].absent;
  }
  return run;
}

}  // namespace

CodeRun make_code_run(const SlotPlan& plan) {
  CodeRun run;
  if (!are_neighbours(plan.codes) || !are_neighbours(plan.byte_codes)) return run;
  run.wide = make_slot_run(plan.codes);
  run.bytes = make_slot_run(plan.byte_codes);
  run.checked = plan.checked;
  run.num_columns = static_cast<std::uint32_t>(plan.num_rows);
  return run;
}

}  // namespace widehash::detail
