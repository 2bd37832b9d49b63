#pragma once

/// \file
/// Counts of distinct values in memory: a map from value to count. Values come many at a time, hashed before,
/// so that the cache line of a value is on its way while those before it are counted.

#include "arena.hpp"
#include "memory_ledger.hpp"
#include "value_record.hpp"
#include "zeroed_memory.hpp"

#include <widehash/hashed_value.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

namespace widehash::detail {

/// Open addressing, linear probing from the top bits of the hash. The hash is the key and the bytes settle
/// it. A slot is half a cache line and holds a value of up to 12 bytes itself; longer ones lie in an arena, with
/// the low half of a wide hash. No allocation per value. One thread at a time.
///
/// XXH64 can be inverted, so values that share a hash, or its top bits, are easily made: by chance no search comes
/// near `longest_search` slots. A value that finds none free within them goes to a tree, and a million such values cost
/// seconds, where linear probing alone would take hours.
class ValueMap {
 public:
  /// `wide`: the low half of the hash is kept as well.
  ValueMap(MemoryLedger& ledger, bool wide)
      : ledger_(&ledger), arena_(ledger), wide_(wide), crowded_(Before{this}) {}
  ValueMap(const ValueMap&) = delete;
  ValueMap& operator=(const ValueMap&) = delete;

  /// Adds one to the count of each value, in order. Returns how many were taken: fewer than there are where the
  /// next is new and does not fit the ledger. Requires a map that is not wide.
  std::size_t add(std::span<const HashedValue> values);
  /// Adds `count`, not zero, to the value's. False, and nothing changed, where a new value does not fit the
  /// ledger.
  bool add(ValueHash hash, std::string_view value, std::uint64_t count);
  std::size_t num_values() const noexcept { return num_values_; }

  /// Orders the values by hash, then by bytes, in place. Afterwards only record() and clear() may be called.
  /// Cost: one pass, for the slots are nearly in order already; a full sort where values were crafted.
  void sort();
  /// Value `index` < num_values() of the order; valid until the next call that is not record().
  ValueRecord record(std::size_t index) const noexcept { return read(slots()[index]); }
  /// Forgets the values and gives their memory back.
  void clear() noexcept;

 private:
  // As HashedValue: `tag` 0 for a free slot. A value that is not in the slot lies in the arena, at the address
  // in `rest`, with the low half of a wide hash before its bytes.
  struct alignas(32) Slot {
    std::uint64_t hash;
    std::uint64_t count;
    std::uint64_t tag;
    std::uint64_t rest;
  };

  static constexpr std::size_t longest_search = 512;
  /// What a value in the tree takes beside its bytes: a node with its alignment.
  static constexpr std::uint64_t crowded_bytes = 128;

  struct Before {
    using is_transparent = void;
    const ValueMap* map;
    bool operator()(const Slot& a, const Slot& b) const noexcept {
      return comes_before(map->read(a), map->read(b));
    }
    bool operator()(const Slot& a, const ValueRecord& b) const noexcept {
      return comes_before(map->read(a), b);
    }
    bool operator()(const ValueRecord& a, const Slot& b) const noexcept {
      return comes_before(a, map->read(b));
    }
  };
  using Crowded = std::set<Slot, Before>;

  Slot* slots() const noexcept { return static_cast<Slot*>(memory_.data()); }
  bool in_slot(std::uint64_t length) const noexcept { return length <= HashedValue::inline_bytes && !wide_; }
  ValueRecord read(const Slot& slot) const noexcept {
    ValueRecord record{.hash = {slot.hash, 0}, .count = slot.count};
    record.length = static_cast<std::uint32_t>(slot.tag) - 1;
    if (in_slot(record.length)) {
      record.bytes = reinterpret_cast<const char*>(&slot.tag) + sizeof(std::uint32_t);
      return record;
    }
    record.bytes = std::bit_cast<const char*>(slot.rest);
    if (wide_) {
      std::memcpy(&record.hash.low, record.bytes, sizeof record.hash.low);
      record.bytes += sizeof record.hash.low;
    }
    return record;
  }
  /// Where the search for a value begins: the first of the two slots of a cache line, so that a value seldom
  /// costs a second line.
  std::size_t home(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> shift_) & ~std::size_t{1};
  }
  static bool is_like(const Slot& slot, const HashedValue& value) noexcept {
    return ((slot.hash ^ value.hash) | (slot.tag ^ value.tag)) == 0;
  }
  /// 0 where the slot holds the value in itself.
  static std::uint64_t difference(const Slot& slot, const HashedValue& value) noexcept {
    return (slot.hash ^ value.hash) | (slot.tag ^ value.tag) | (slot.rest ^ value.rest);
  }
  /// Of a map that is not wide, where is_like().
  static bool has_rest_of(const Slot& slot, const HashedValue& value) noexcept {
    if (value.is_inline()) return slot.rest == value.rest;
    return std::memcmp(std::bit_cast<const char*>(slot.rest), std::bit_cast<const char*>(value.rest),
                       value.length()) == 0;
  }
  static bool comes_before(const ValueRecord& a, const ValueRecord& b) noexcept;
  /// The first free slot of the search for a hash in `capacity` slots; null where there is none.
  static Slot* find_free(Slot* slots, std::size_t capacity, int shift, std::uint64_t hash) noexcept;
  /// Counts values as long as each is found in one of the two slots of its home; returns the first that is not.
  const HashedValue* add_at_home(const HashedValue* value, const HashedValue* end) noexcept;
  template <class SameRest>
  bool add_one(const HashedValue& value, std::uint64_t low, std::uint64_t count, SameRest&& same_rest);
  bool insert(const HashedValue& value, std::uint64_t low, std::uint64_t count);
  bool grow();
  bool add_crowded(Crowded& crowded, const Slot& slot);
  void forget(Crowded& crowded) noexcept;

  MemoryLedger* ledger_;
  Arena arena_;
  bool wide_;
  int shift_ = 64;  // the top bits of a hash that choose its slot are hash >> shift_
  std::size_t capacity_ = 0;
  std::size_t num_values_ = 0;
  ZeroedMemory memory_;
  Crowded crowded_;  // values that found no free slot
};

}  // namespace widehash::detail
