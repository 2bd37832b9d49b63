#pragma once

/// \file
/// Counts of distinct values in memory: a map from value to count. Values come many at a time, hashed before,
/// so that the cache line of a value is on its way while those before it are counted.

#include "arena.hpp"
#include "memory_ledger.hpp"
#include "slot_line.hpp"
#include "value_record.hpp"
#include "zeroed_memory.hpp"

#include <widehash/internal/hashed_value.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <string_view>

namespace widehash::detail {

/// Open addressing, linear probing from the top bits of the hash. A slot is half a cache line (slot_line.hpp)
/// and holds a value of up to 12 bytes itself; longer ones lie in an arena, with the low half of a wide hash.
/// No allocation per value. One thread at a time.
///
/// XXH64 can be inverted, so values that share a hash, or its top bits, are easily made: by chance no search
/// comes near `longest_search` lines. A value that finds no slot free within them goes to a tree, and a
/// million such values cost seconds, where linear probing alone would take hours.
class ValueMap {
 public:
  /// `wide`: the low half of the hash is kept as well.
  ValueMap(MemoryLedger& ledger, bool wide)
      : ledger_(&ledger), arena_(ledger), wide_(wide), crowded_(Before{this}) {}
  ValueMap(const ValueMap&) = delete;
  ValueMap& operator=(const ValueMap&) = delete;

  /// Adds one to the count of each value, in order. Returns how many were taken: fewer than there are where
  /// the next is new and does not fit the ledger. Requires a map that is not wide.
  std::size_t add(std::span<const HashedValue> values);
  /// Adds `count`, not zero, to the value's. False, and nothing changed, where a new value does not fit the
  /// ledger.
  bool add(ValueHash hash, std::string_view value, std::uint64_t count);
  std::size_t num_values() const noexcept { return num_values_; }

  /// Orders the values by hash, then by bytes, in place. Afterwards only record() and clear() may be called.
  /// Cost: one pass, for the slots are nearly in order already; a full sort where values were crafted.
  void sort();
  /// Value `index` < num_values() of the order; valid until the next call that is not record().
  ValueRecord record(std::size_t index) const noexcept { return read(sorted()[index]); }
  /// Forgets the values and gives their memory back.
  void clear() noexcept;

 private:
  // Of a line, or of the sorted values. A value that is not in the slot lies in the arena, at the address in
  // `rest`, with the low half of a wide hash before its bytes.
  struct Slot {
    std::uint64_t hash;
    std::uint64_t count;
    std::uint64_t tag;
    std::uint64_t rest;
  };
  static_assert(slots_per_line * sizeof(Slot) == sizeof(SlotLine));

  static constexpr std::size_t longest_search = 256;  // lines
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

  /// Used slots side by side in the map, and where they are once packed.
  struct Stretch {
    std::size_t first_slot = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// After sort().
  Slot* sorted() const noexcept { return static_cast<Slot*>(memory_.data()); }
  static Slot slot_at(const SlotLine& line, std::size_t i) noexcept {
    return {line.hash[i], line.count[i], line.tag[i], line.rest[i]};
  }
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
  /// Of a slot whose tag is the value's.
  bool holds(const Slot& slot, const HashedValue& value, ValueHash hash,
             std::string_view bytes) const noexcept {
    if (slot.hash != hash.high) return false;
    if (in_slot(bytes.size())) return slot.rest == value.rest;
    const ValueRecord record = read(slot);
    return record.hash.low == hash.low && std::string_view(record.bytes, record.length) == bytes;
  }
  static bool comes_before(const ValueRecord& a, const ValueRecord& b) noexcept;
  /// Puts a slot into the first free one of the search for its hash; false where there is none.
  static bool place(const SlotLines& map, const Slot& slot) noexcept;
  std::size_t capacity() const noexcept { return map_.num_lines * slots_per_line; }
  /// Where the value's count is; null where it is not in the map.
  std::uint64_t* find(const HashedValue& value, ValueHash hash, std::string_view bytes) const;
  std::uint64_t* find_crowded(ValueHash hash, std::string_view bytes) const;
  bool insert(const HashedValue& value, std::uint64_t low, std::uint64_t count);
  bool grow();
  /// Moves what is in the map to the front of its memory, in the order of slots, and calls
  /// each_stretch(stretch) as soon as one is there. Returns how many values these are.
  template <class Use>
  std::size_t pack(const Use& each_stretch);
  /// Of the stretch at the map's beginning, sorted: how many values at its end have their home behind it.
  std::size_t count_strays(const Stretch& first) const noexcept;
  bool add_crowded(Crowded& crowded, const Slot& slot);
  void forget(Crowded& crowded) noexcept;

  MemoryLedger* ledger_;
  Arena arena_;
  bool wide_;
  SlotLines map_;
  std::size_t num_values_ = 0;
  ZeroedMemory memory_;  // of the lines
  Crowded crowded_;      // values that found no free slot
};

}  // namespace widehash::detail
