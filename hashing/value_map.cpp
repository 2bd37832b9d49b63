#include "value_map.hpp"

#include <algorithm>
#include <cstring>

namespace widehash::detail {

Arena::Arena(MemoryLedger& ledger)
    : ledger_(ledger),
      // Small beside the limit, so that the unused end of the last chunk is too.
      chunk_bytes_(static_cast<std::size_t>(std::clamp<std::uint64_t>(
          ledger.limit_bytes() / 256, std::uint64_t{64} << 10, std::uint64_t{4} << 20))) {}

char* Arena::allocate(std::size_t bytes) {
  if (static_cast<std::size_t>(free_end_ - free_begin_) < bytes) {
    // A long value gets a chunk to itself, and the current chunk goes on being filled.
    const bool alone = bytes > chunk_bytes_ / 4;
    const std::size_t chunk_bytes = alone ? bytes : chunk_bytes_;
    if (!ledger_.take(chunk_bytes)) return nullptr;
    held_bytes_ += chunk_bytes;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    if (alone) return chunks_.back().get();
    free_begin_ = chunks_.back().get();
    free_end_ = free_begin_ + chunk_bytes;
  }
  char* const result = free_begin_;
  free_begin_ += bytes;
  return result;
}

void Arena::clear() noexcept {
  chunks_.clear();
  ledger_.give_back(held_bytes_);
  held_bytes_ = 0;
  free_begin_ = free_end_ = nullptr;
}

ValueRecord ValueMap::read(const Slot& slot) const noexcept {
  ValueRecord record{.hash = {slot.hash, 0}, .count = slot.count};
  const char* at = slot.record;
  if (wide_) {
    std::memcpy(&record.hash.low, at, sizeof record.hash.low);
    at += sizeof record.hash.low;
  }
  std::memcpy(&record.length, at, sizeof record.length);
  record.bytes = at + sizeof record.length;
  return record;
}

bool ValueMap::add(ValueHash hash, std::string_view value, std::uint64_t count) {
  // Without room for a new value, one that is already here can still be counted.
  const bool room = num_values_ + 1 <= slots_.size() - slots_.size() / 4 || grow();
  if (slots_.empty()) return false;
  const std::size_t mask = slots_.size() - 1;
  std::size_t index = static_cast<std::size_t>(hash.high >> (64 - log2_capacity_));
  for (; slots_[index].record != nullptr; index = (index + 1) & mask) {
    Slot& slot = slots_[index];
    if (slot.hash != hash.high) continue;
    const ValueRecord found = read(slot);
    if (found.hash.low == hash.low && std::string_view(found.bytes, found.length) == value) {
      slot.count += count;
      return true;
    }
  }

  if (!room) return false;
  const auto length = static_cast<std::uint32_t>(value.size());
  char* const record = arena_->allocate((wide_ ? sizeof hash.low : 0) + sizeof length + value.size());
  if (record == nullptr) return false;
  char* at = record;
  if (wide_) {
    std::memcpy(at, &hash.low, sizeof hash.low);
    at += sizeof hash.low;
  }
  std::memcpy(at, &length, sizeof length);
  if (!value.empty()) std::memcpy(at + sizeof length, value.data(), value.size());
  slots_[index] = {hash.high, count, record};
  ++num_values_;
  return true;
}

bool ValueMap::grow() {
  const int log2_capacity = slots_.empty() ? 6 : log2_capacity_ + 1;
  const std::size_t capacity = std::size_t{1} << log2_capacity;
  if (!ledger_->take(capacity * sizeof(Slot))) return false;  // old and new are held at once while moving
  std::vector<Slot> grown(capacity);
  for (const Slot& slot : slots_) {
    if (slot.record == nullptr) continue;
    std::size_t index = static_cast<std::size_t>(slot.hash >> (64 - log2_capacity));
    while (grown[index].record != nullptr) index = (index + 1) & (capacity - 1);
    grown[index] = slot;
  }
  ledger_->give_back(slots_.size() * sizeof(Slot));
  slots_ = std::move(grown);
  log2_capacity_ = log2_capacity;
  return true;
}

void ValueMap::sort() {
  const auto end =
      std::remove_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.record == nullptr; });
  std::sort(slots_.begin(), end, [this](const Slot& a, const Slot& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    const ValueRecord left = read(a);
    const ValueRecord right = read(b);
    if (left.hash.low != right.hash.low) return left.hash.low < right.hash.low;
    return std::string_view(left.bytes, left.length) < std::string_view(right.bytes, right.length);
  });
}

ValueRecord ValueMap::record(std::size_t index) const noexcept { return read(slots_[index]); }

void ValueMap::clear() noexcept {
  ledger_->give_back(slots_.size() * sizeof(Slot));
  slots_ = {};
  num_values_ = 0;
  log2_capacity_ = 0;
}

}  // namespace widehash::detail
