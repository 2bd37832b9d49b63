#include "value_counter.hpp"

#include <memory>
#include <utility>

namespace widehash::detail {

ValueCounter::ValueCounter(const Settings& settings, std::uint64_t map_bytes, std::span<std::byte> scratch)
    : ledger_(map_bytes),
      scratch_(scratch),
      runs_(settings.directory, settings.num_features, settings.wide, settings.fan_in,
            settings.cursor_buffer_bytes, scratch) {
  for (std::size_t i = 0; i < settings.num_features; ++i) features_.emplace_back(ledger_, settings.wide);
}

void ValueCounter::add(std::size_t feature, ValueHash hash, std::string_view value, std::uint64_t count) {
  {
    const std::shared_lock no_spill(spilling_);
    require_sound();
    const std::lock_guard lock(features_[feature].mutex);
    if (features_[feature].map.add(hash, value, count)) return;
  }
  add_past_budget(feature, hash, value, count);
}

void ValueCounter::add(std::size_t feature, std::span<const HashedValue> values) {
  for (std::size_t begin = 0; begin < values.size(); ++begin) {
    {
      const std::shared_lock no_spill(spilling_);
      require_sound();
      const std::lock_guard lock(features_[feature].mutex);
      begin += features_[feature].map.add(values.subspan(begin));
    }
    if (begin == values.size()) return;
    const HashedValue& value = values[begin];
    add_past_budget(feature, {value.hash, 0}, value.text(), 1);
  }
}

void ValueCounter::add_past_budget(std::size_t feature, ValueHash hash, std::string_view value,
                                   std::uint64_t count) {
  const std::lock_guard alone(spilling_);
  require_sound();
  // Another thread may have made room in the meantime.
  if (features_[feature].map.add(hash, value, count)) return;
  try {
    spill();
    if (features_[feature].map.add(hash, value, count)) return;
    // The value is larger than all of memory, so it is written to disk from the caller's memory.
    const auto length = static_cast<std::uint32_t>(value.size());
    spill_alone(feature, {.hash = hash, .count = count, .length = length, .bytes = value.data()});
  } catch (...) {
    failure_ = std::current_exception();
    throw;
  }
}

void ValueCounter::require_sound() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void ValueCounter::spill() {
  if (ledger_.held_bytes() == 0) return;
  Run run = runs_.new_run();
  for (std::size_t feature = 0; feature < features_.size(); ++feature) {
    run.begin_feature(feature);
    take_map(feature, [&](const ValueMap& map) {
      for (std::size_t i = 0; i < map.num_values(); ++i) run.append(map.record(i), scratch_);
    });
  }
  run.end();
  runs_.add(std::move(run));
}

void ValueCounter::spill_alone(std::size_t feature, const ValueRecord& record) {
  Run run = runs_.new_run();
  run.begin_feature(feature);
  run.append(record, scratch_);
  run.end();
  runs_.add(std::move(run));
}

std::size_t ValueCounter::begin_run() {
  open_runs_.emplace_back(runs_.new_run());
  return open_runs_.size() - 1;
}

void ValueCounter::add_to_run(std::size_t run, std::size_t feature, const ValueRecord& record) {
  OpenRun& open = open_runs_.at(run);
  if (open.feature != feature) open.run.begin_feature(feature);
  open.feature = feature;
  open.run.append(record, scratch_);
}

void ValueCounter::end_run(std::size_t run) {
  OpenRun& open = open_runs_.at(run);
  if (!open.is_open) return;
  open.is_open = false;
  open.run.end();
  const std::lock_guard alone(spilling_);
  runs_.add(std::move(open.run));
}

void ValueCounter::end() {
  require_sound();
  for (std::size_t run = 0; run < open_runs_.size(); ++run) end_run(run);
  open_runs_.clear();
  if (runs_.empty()) return;
  spill();
  runs_.reduce();
}

void ValueCounter::take_each(std::size_t feature, const std::function<void(const ValueRecord&)>& use) {
  if (has_runs()) return runs_.for_each(feature, use);
  take_map(feature, [&](const ValueMap& map) {
    for (std::size_t i = 0; i < map.num_values(); ++i) use(map.record(i));
  });
}

void ValueCounter::take_map(std::size_t feature, const std::function<void(const ValueMap&)>& use) {
  ValueMap& map = features_[feature].map;
  // The map must be cleared even if `use` throws, because a sorted map takes no more values.
  const std::unique_ptr<ValueMap, void (*)(ValueMap*)> cleared(&map, [](ValueMap* used) { used->clear(); });
  map.sort();
  use(map);
}

std::uint64_t ValueCounter::memory_bytes() const {
  const std::shared_lock no_spill(spilling_);
  return ledger_.held_bytes() + runs_.memory_bytes();
}

std::size_t ValueCounter::num_runs() const {
  const std::shared_lock no_spill(spilling_);
  return runs_.num_added();
}

}  // namespace widehash::detail
