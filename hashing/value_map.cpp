#include "value_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace widehash::detail {
namespace {

constexpr std::size_t least_lines = 32;

/// The maximum number of used slots. In a small map, room costs little and saves probes. In a large one, the
/// cost of a value is its cache line, not its probes.
constexpr std::size_t most_values(std::size_t capacity) noexcept {
  constexpr std::size_t few = std::size_t{1} << 15;
  return capacity <= few ? capacity / 2 : capacity - capacity / 4;
}

}  // namespace

bool ValueMap::place(const SlotLines& map, const Slot& slot) noexcept {
  SlotLine* line = map.home(slot.hash);
  for (std::size_t searched = 0; searched < longest_search; ++searched, line = map.next(line)) {
    for (std::size_t i = 0; i < slots_per_line; ++i) {
      if (line->tag[i] != 0) continue;
      line->hash[i] = slot.hash;
      line->count[i] = slot.count;
      line->tag[i] = slot.tag;
      line->rest[i] = slot.rest;
      return true;
    }
  }
  return false;
}

std::uint64_t* ValueMap::find(const HashedValue& value, ValueHash hash, std::string_view bytes) const {
  SlotLine* line = map_.home(hash.high);
  for (std::size_t searched = 0; searched < longest_search; ++searched, line = map_.next(line)) {
    for (std::size_t i = 0; i < slots_per_line; ++i) {
      if (line->tag[i] == 0) return nullptr;
      if (line->tag[i] == value.tag && holds(slot_at(*line, i), value, hash, bytes)) return &line->count[i];
    }
  }
  return find_crowded(hash, bytes);
}

std::uint64_t* ValueMap::find_crowded(ValueHash hash, std::string_view bytes) const {
  if (crowded_.empty()) return nullptr;
  const auto found = crowded_.find(
      ValueRecord{.hash = hash, .length = static_cast<std::uint32_t>(bytes.size()), .bytes = bytes.data()});
  return found == crowded_.end() ? nullptr : &const_cast<Slot&>(*found).count;  // not part of the order
}

std::size_t ValueMap::add(std::span<const HashedValue> values) {
  if (map_.num_lines == 0 && !values.empty() && !grow()) return 0;
  const HashedValue* const end = values.data() + values.size();
  const HashedValue* value = values.data();
  for (; (value = count_found(map_, longest_search, value, end)) != end; ++value) {
    std::uint64_t* const crowded = find_crowded({value->hash, 0}, value->text());
    if (crowded != nullptr) {
      ++*crowded;
    } else if (!insert(*value, 0, 1)) {
      break;
    }
  }
  return static_cast<std::size_t>(value - values.data());
}

bool ValueMap::add(ValueHash hash, std::string_view bytes, std::uint64_t count) {
  if (map_.num_lines == 0 && !grow()) return false;
  HashedValue value(bytes, hash.high);
  if (wide_) value.rest = std::bit_cast<std::uint64_t>(bytes.data());
  std::uint64_t* const found = find(value, hash, bytes);
  if (found == nullptr) return insert(value, hash.low, count);
  *found += count;
  return true;
}

bool ValueMap::insert(const HashedValue& value, std::uint64_t low, std::uint64_t count) {
  if (num_values_ + 1 > most_values(capacity()) && !grow()) return false;
  Slot added{value.hash, count, value.tag, value.rest};
  const std::uint64_t length = value.length();
  if (!in_slot(length)) {
    char* at = arena_.allocate((wide_ ? sizeof low : 0) + length);
    if (at == nullptr) return false;
    added.rest = std::bit_cast<std::uint64_t>(at);
    if (wide_) {
      std::memcpy(at, &low, sizeof low);
      at += sizeof low;
    }
    if (length > 0) std::memcpy(at, std::bit_cast<const char*>(value.rest), length);
  }
  if (!place(map_, added) && !add_crowded(crowded_, added)) return false;
  ++num_values_;
  return true;
}

bool ValueMap::add_crowded(Crowded& crowded, const Slot& slot) {
  if (!ledger_->take(crowded_bytes)) return false;
  crowded.insert(slot);
  return true;
}

void ValueMap::forget(Crowded& crowded) noexcept {
  ledger_->give_back(crowded.size() * crowded_bytes);
  crowded.clear();
}

bool ValueMap::grow() {
  const std::size_t num_lines = map_.num_lines == 0 ? least_lines : 2 * map_.num_lines;
  const std::size_t bytes = num_lines * sizeof(SlotLine);
  if (!ledger_->take(bytes)) return false;  // old and new are both held while values move
  ZeroedMemory memory(bytes);
  const SlotLines grown(static_cast<SlotLine*>(memory.data()), num_lines);
  Crowded crowded(Before{this});
  const auto move = [&](const Slot& slot) { return place(grown, slot) || add_crowded(crowded, slot); };
  bool fits = true;
  for (std::size_t i = 0; fits && i < capacity(); ++i) {
    const Slot slot = slot_at(map_.lines[i / slots_per_line], i % slots_per_line);
    fits = slot.tag == 0 || move(slot);
  }
  for (auto slot = crowded_.begin(); fits && slot != crowded_.end(); ++slot) fits = move(*slot);
  if (!fits) {
    forget(crowded);
    ledger_->give_back(bytes);
    return false;
  }
  forget(crowded_);
  crowded_.swap(crowded);
  memory_ = std::move(memory);
  ledger_->give_back(map_.num_lines * sizeof(SlotLine));
  map_ = grown;
  return true;
}

bool ValueMap::comes_before(const ValueRecord& a, const ValueRecord& b) noexcept {
  if (a.hash != b.hash) return a.hash < b.hash;
  return std::string_view(a.bytes, a.length) < std::string_view(b.bytes, b.length);
}

template <class Use>
std::size_t ValueMap::pack(const Use& each_stretch) {
  Slot* const all = sorted();
  std::size_t packed = 0;
  Stretch stretch;
  const auto end_stretch = [&](std::size_t next_slot) {
    stretch.end = packed;
    if (stretch.begin != stretch.end) each_stretch(stretch);
    stretch = {.first_slot = next_slot, .begin = packed};
  };
  for (std::size_t i = 0; i < map_.num_lines; ++i) {
    SlotLine line{};  // a copy, because the packed values overwrite the lines already visited
    std::memcpy(&line, map_.lines + i, sizeof line);
    for (std::size_t k = 0; k < slots_per_line; ++k) {
      const Slot slot = slot_at(line, k);
      if (slot.tag == 0) {
        end_stretch(i * slots_per_line + k + 1);
      } else {
        std::memcpy(all + packed++, &slot, sizeof slot);
      }
    }
  }
  end_stretch(capacity());
  return packed;
}

std::size_t ValueMap::count_strays(const Stretch& first) const noexcept {
  const Slot* const all = sorted();
  const auto is_stray = [&](const Slot& slot) {
    return (slot.hash >> map_.shift) * slots_per_line >= first.end;
  };
  std::size_t count = 0;
  while (count < first.end && is_stray(all[first.end - 1 - count])) ++count;
  return count;
}

void ValueMap::sort() {
  Slot* const all = sorted();
  const auto sort_part = [&](std::size_t begin, std::size_t end) {
    std::sort(all + begin, all + end, Before{this});
  };
  // Values stray from their home only within a stretch of used slots, so the stretches are already in order.
  // The exception is values that the last stretch pushed past the end of the map into a stretch at its
  // beginning.
  Stretch first;
  Stretch last;
  const std::size_t packed = pack([&](const Stretch& stretch) {
    sort_part(stretch.begin, stretch.end);
    if (stretch.first_slot == 0) first = stretch;
    last = stretch;
  });
  if (const std::size_t num_strays = count_strays(first); num_strays != 0) {
    std::rotate(all + (first.end - num_strays), all + first.end, all + packed);
    sort_part(last.begin - num_strays, packed);
  }
  if (crowded_.empty()) return;
  // There is room, because crowded values count towards the used slots.
  std::copy(crowded_.begin(), crowded_.end(), all + packed);
  sort_part(0, num_values_);
  forget(crowded_);
}

void ValueMap::clear() noexcept {
  forget(crowded_);
  memory_ = ZeroedMemory();
  ledger_->give_back(map_.num_lines * sizeof(SlotLine));
  map_ = {};
  num_values_ = 0;
  arena_.clear();
}

}  // namespace widehash::detail
