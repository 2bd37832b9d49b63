#include "value_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace widehash::detail {
namespace {

constexpr std::size_t least_capacity = 64;
/// How far ahead slots are fetched: about the latency of memory over the time of a value.
constexpr std::size_t fetch_ahead = 20;

/// How full slots may become. Where they are few, room costs little and spares probes; where they are many, what
/// a value costs is its cache line, not the probes.
constexpr std::size_t most_values(std::size_t capacity) noexcept {
  constexpr std::size_t few = std::size_t{1} << 15;
  return capacity <= few ? capacity / 2 : capacity - capacity / 4;
}

/// The top bit tells whether x is 0. Of a comparison compilers make a branch, however it is put.
constexpr std::uint64_t top_bit_if_zero(std::uint64_t x) noexcept { return (x - 1) & ~x; }

}  // namespace

ValueMap::Slot* ValueMap::find_free(Slot* slots, std::size_t capacity, int shift,
                                    std::uint64_t hash) noexcept {
  std::size_t index = static_cast<std::size_t>(hash >> shift) & ~std::size_t{1};
  for (std::size_t searched = 0; searched < longest_search; ++searched) {
    if (slots[index].tag == 0) return slots + index;
    index = (index + 1) & (capacity - 1);
  }
  return nullptr;
}

template <class SameRest>
inline bool ValueMap::add_one(const HashedValue& value, std::uint64_t low, std::uint64_t count,
                              SameRest&& same_rest) {
  Slot* const all = slots();
  std::size_t index = home(value.hash);
  std::size_t searched = 0;
  for (; all[index].tag != 0 && searched < longest_search;
       ++searched, index = (index + 1) & (capacity_ - 1)) {
    Slot& slot = all[index];
    if (slot.hash == value.hash && slot.tag == value.tag && same_rest(slot)) {
      slot.count += count;
      return true;
    }
  }
  if (searched == longest_search && !crowded_.empty()) {
    // Of a wide map `rest` is the address of the text, however short it is.
    const std::string_view text(wide_ ? std::bit_cast<const char*>(value.rest) : value.text().data(),
                                value.length());
    const auto found = crowded_.find(ValueRecord{
        .hash = {value.hash, low}, .length = static_cast<std::uint32_t>(text.size()), .bytes = text.data()});
    if (found != crowded_.end()) {
      const_cast<Slot&>(*found).count += count;  // no part of the order
      return true;
    }
  }
  return insert(value, low, count);
}

const HashedValue* ValueMap::add_at_home(const HashedValue* value, const HashedValue* end) noexcept {
  // In registers: the compiler must take it that a count written may be one of these.
  Slot* const all = slots();
  const int shift = shift_;
  const auto home_of = [all, shift](std::uint64_t hash) {
    return all + (static_cast<std::size_t>(hash >> shift) & ~std::size_t{1});
  };
  for (; value != end; ++value) {
    const Slot* const ahead = home_of(std::min(value + fetch_ahead, end - 1)->hash);
    __builtin_prefetch(ahead, 1);
    // A quarter of the values of a full table stand behind their home, most of them on the line that follows.
    __builtin_prefetch(ahead + 2, 1);
    Slot* const pair = home_of(value->hash);
    // Which of the two slots holds the value is as good as random: arithmetic costs less than a branch that is guessed
    // wrong every other time (1.2 times as fast where the slots are in the cache). The rest of a value that is not in its
    // slot is an address, and differs.
    const std::uint64_t differs_0 = difference(pair[0], *value);
    const std::uint64_t differs_1 = difference(pair[1], *value);
    const std::uint64_t is_0 = top_bit_if_zero(differs_0);
    if (static_cast<std::int64_t>(is_0 | top_bit_if_zero(differs_1)) >= 0) {
      Slot& like = pair[static_cast<std::size_t>(!is_like(pair[0], *value))];
      if (value->is_inline() || !is_like(like, *value) || !has_rest_of(like, *value)) return value;
      ++like.count;
      continue;
    }
    ++pair[1 ^ (is_0 >> 63)].count;
  }
  return end;
}

std::size_t ValueMap::add(std::span<const HashedValue> values) {
  if (capacity_ == 0 && !values.empty() && !grow()) return 0;
  const HashedValue* const end = values.data() + values.size();
  const HashedValue* value = values.data();
  while ((value = add_at_home(value, end)) != end) {
    if (!add_one(*value, 0, 1, [&](const Slot& slot) { return has_rest_of(slot, *value); })) break;
    ++value;
  }
  return static_cast<std::size_t>(value - values.data());
}

bool ValueMap::add(ValueHash hash, std::string_view bytes, std::uint64_t count) {
  if (capacity_ == 0 && !grow()) return false;
  HashedValue value(bytes, hash.high);
  if (wide_) value.rest = std::bit_cast<std::uint64_t>(bytes.data());
  return add_one(value, hash.low, count, [&](const Slot& slot) {
    if (in_slot(bytes.size())) return slot.rest == value.rest;
    const ValueRecord found = read(slot);
    return found.hash.low == hash.low && std::string_view(found.bytes, found.length) == bytes;
  });
}

bool ValueMap::insert(const HashedValue& value, std::uint64_t low, std::uint64_t count) {
  if (num_values_ + 1 > most_values(capacity_) && !grow()) return false;
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
  Slot* const free = find_free(slots(), capacity_, shift_, value.hash);
  if (free == nullptr) {
    if (!add_crowded(crowded_, added)) return false;
  } else {
    *free = added;
  }
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
  const std::size_t capacity = capacity_ == 0 ? least_capacity : 2 * capacity_;
  if (!ledger_->take(capacity * sizeof(Slot))) return false;  // old and new are held at once while moving
  ZeroedMemory grown(capacity * sizeof(Slot));
  Crowded crowded(Before{this});
  const int shift = 64 - std::countr_zero(capacity);
  auto* const to = static_cast<Slot*>(grown.data());
  const auto move = [&](const Slot& slot) {
    Slot* const free = find_free(to, capacity, shift, slot.hash);
    if (free == nullptr) return add_crowded(crowded, slot);
    *free = slot;
    return true;
  };
  bool fits = true;
  for (std::size_t i = 0; fits && i < capacity_; ++i) fits = slots()[i].tag == 0 || move(slots()[i]);
  for (auto slot = crowded_.begin(); fits && slot != crowded_.end(); ++slot) fits = move(*slot);
  if (!fits) {
    forget(crowded);
    ledger_->give_back(capacity * sizeof(Slot));
    return false;
  }
  forget(crowded_);
  crowded_.swap(crowded);
  memory_ = std::move(grown);
  ledger_->give_back(capacity_ * sizeof(Slot));
  capacity_ = capacity;
  shift_ = shift;
  return true;
}

bool ValueMap::comes_before(const ValueRecord& a, const ValueRecord& b) noexcept {
  if (a.hash != b.hash) return a.hash < b.hash;
  return std::string_view(a.bytes, a.length) < std::string_view(b.bytes, b.length);
}

void ValueMap::sort() {
  Slot* const all = slots();
  const auto sort_part = [&](std::size_t begin, std::size_t end) {
    std::sort(all + begin, all + end, Before{this});
  };
  // Values stray from their slot only within a stretch of used slots, so stretches are in order already. The
  // exception is what the last stretch pushed round the end of the table into the first.
  std::size_t num_strays = 0;
  std::size_t first_end = 0;
  std::size_t last_begin = 0;
  std::size_t packed = 0;
  for (std::size_t i = 0; i < capacity_;) {
    if (all[i].tag == 0) {
      ++i;
      continue;
    }
    const bool at_start = i == 0;
    last_begin = packed;
    while (i < capacity_ && all[i].tag != 0) all[packed++] = all[i++];
    sort_part(last_begin, packed);
    if (at_start) {
      first_end = packed;
      while (num_strays < first_end && home(all[first_end - 1 - num_strays].hash) >= i) ++num_strays;
    }
  }
  if (num_strays != 0) {
    std::rotate(all + (first_end - num_strays), all + first_end, all + packed);
    sort_part(last_begin - num_strays, packed);
  }
  if (crowded_.empty()) return;
  std::copy(crowded_.begin(), crowded_.end(),
            all + packed);  // there is room: they count in how full slots are
  sort_part(0, num_values_);
  forget(crowded_);
}

void ValueMap::clear() noexcept {
  forget(crowded_);
  memory_ = ZeroedMemory();
  ledger_->give_back(capacity_ * sizeof(Slot));
  capacity_ = 0;
  shift_ = 64;
  num_values_ = 0;
  arena_.clear();
}

}  // namespace widehash::detail
