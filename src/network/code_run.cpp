#include "kernels.hpp"
#include "slot_plan.hpp"

#include <algorithm>

namespace widehash::detail {

CodeRun make_code_run(const SlotPlan& plan) {
  CodeRun run;
  const auto& slots = plan.codes;
  if (slots.empty() || slots.back().slot - slots.front().slot + 1 != slots.size()) return run;
  run.first_slot = slots.front().slot;
  run.num_slots = static_cast<std::uint32_t>(slots.size());
  run.checked = plan.checked;
  run.num_columns = static_cast<std::uint32_t>(plan.num_rows);
  const std::size_t padded = std::max(slots.size(), num_partial_sums);
  run.shifts.resize(padded);
  run.absents.resize(padded);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    // A column before the range wraps to a number beyond it: ranges are shorter than 2^31.
    run.shifts[i] = static_cast<std::uint32_t>(slots[i].shift);
    run.absents[i] = slots[i].absent;
  }
  return run;
}

}  // namespace widehash::detail
