#include "slot_plan_copy.hpp"

#include "slot_plan.hpp"

namespace widehash::cuda {
namespace {

std::vector<DeviceSlot> device_slots(const std::vector<detail::PlannedSlot>& planned) {
  std::vector<DeviceSlot> slots;
  slots.reserve(planned.size());
  for (const detail::PlannedSlot& slot : planned)
    slots.push_back({slot.slot, slot.absent, static_cast<std::uint32_t>(slot.shift),
                     static_cast<std::uint32_t>(slot.num_columns)});
  return slots;
}

}  // namespace

SlotPlanCopy::SlotPlanCopy(const DeviceContext& context, const CodeLayout& layout, ColumnRange range) {
  const detail::SlotPlan plan = detail::make_slot_plan(layout, range);
  codes_ = device_slots(plan.codes);
  byte_codes_ = device_slots(plan.byte_codes);
  columns_ = device_slots(plan.columns);
  numbers_ = device_slots(plan.numbers);
  std::vector<DeviceSlot> all;
  for (const auto* slots : {&codes_, &byte_codes_, &columns_, &numbers_})
    all.insert(all.end(), slots->begin(), slots->end());
  slots_ = make_device_copy<DeviceSlot>(context, all, "slots of a row");
  device_.codes = slots_.data();
  device_.byte_codes = device_.codes + codes_.size();
  device_.columns = device_.byte_codes + byte_codes_.size();
  device_.numbers = device_.columns + columns_.size();
  device_.num_codes = static_cast<std::uint32_t>(codes_.size());
  device_.num_byte_codes = static_cast<std::uint32_t>(byte_codes_.size());
  device_.num_columns = static_cast<std::uint32_t>(columns_.size());
  device_.num_numbers = static_cast<std::uint32_t>(numbers_.size());
  device_.has_ragged = plan.has_ragged;
  device_.num_rows = plan.num_rows;
  device_.first_column = plan.first_column;
}

}  // namespace widehash::cuda
