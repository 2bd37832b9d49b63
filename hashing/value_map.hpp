#pragma once

/// \file
/// Counts distinct values in memory, in a map from value to count. Values arrive in groups and already
/// hashed, so that the cache line of a value is being loaded while the values before it are counted.

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

/// A hash table with open addressing and linear probing, starting from the top bits of the hash. A slot is
/// half a cache line (slot_line.hpp) and stores a value of up to 12 bytes itself. Longer values, and all
/// values with wide hashes, are stored in an arena, the latter with the low half of the hash. There is no
/// allocation per value. Not thread-safe.
///
/// XXH64 can be inverted, so it is easy to construct values that share a hash or its top bits. By chance, no
/// search comes near `longest_search` lines. A value that finds no free slot within them goes into a tree. A
/// million such values then cost seconds, where linear probing alone would take hours.
class ValueMap {
 public:
  /// `wide`: keep the low half of the hash too.
  ValueMap(MemoryLedger& ledger, bool wide)
      : ledger_(&ledger), arena_(ledger), wide_(wide), crowded_(Before{this}) {}
  ValueMap(const ValueMap&) = delete;
  ValueMap& operator=(const ValueMap&) = delete;

  /// Adds one to the count of each value, in order. Returns how many values were counted, which is less than
  /// all if the next value is new and does not fit the ledger. Requires a map that is not wide.
  std::size_t add(std::span<const HashedValue> values);
  /// Adds `count`, which must not be 0, to the count of a value. Returns false and changes nothing if the
  /// value is new and does not fit the ledger.
  bool add(ValueHash hash, std::string_view value, std::uint64_t count);
  std::size_t num_values() const noexcept { return num_values_; }

  /// Orders the values by hash, then by bytes, in place. Afterwards only record() and clear() may be called.
  /// Cost: one pass, because slots are nearly in order already; a full sort if values were crafted to
  /// collide.
  void sort();
  /// Returns value `index` < num_values() in sorted order. It is valid until the next call of another
  /// function.
  ValueRecord record(std::size_t index) const noexcept { return read(sorted()[index]); }
  /// Removes the values and frees their memory.
  void clear() noexcept;

 private:
  // A slot of a line, or one of the sorted values. A value that is not in the slot is stored in the arena, at
  // the address in `rest`, with the low half of a wide hash before its bytes.
  struct Slot {
    std::uint64_t hash;
    std::uint64_t count;
    std::uint64_t tag;
    std::uint64_t rest;
  };
  static_assert(slots_per_line * sizeof(Slot) == sizeof(SlotLine));

  static constexpr std::size_t longest_search = 256;  // lines
  /// Memory that a value in the tree takes in addition to its bytes: an aligned node.
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

  /// Adjacent used slots of the map: the first slot, and their range after packing.
  struct Stretch {
    std::size_t first_slot = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// The sorted values, after sort().
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
  /// Whether `slot` holds the value. Requires that their tags are equal.
  bool holds(const Slot& slot, const HashedValue& value, ValueHash hash,
             std::string_view bytes) const noexcept {
    if (slot.hash != hash.high) return false;
    if (in_slot(bytes.size())) return slot.rest == value.rest;
    const ValueRecord record = read(slot);
    return record.hash.low == hash.low && std::string_view(record.bytes, record.length) == bytes;
  }
  static bool comes_before(const ValueRecord& a, const ValueRecord& b) noexcept;
  /// Puts a slot into the first free slot of the search for its hash. Returns false if there is none.
  static bool place(const SlotLines& map, const Slot& slot) noexcept;
  std::size_t capacity() const noexcept { return map_.num_lines * slots_per_line; }
  /// Returns the count of the value, or null if it is not in the map.
  std::uint64_t* find(const HashedValue& value, ValueHash hash, std::string_view bytes) const;
  std::uint64_t* find_crowded(ValueHash hash, std::string_view bytes) const;
  bool insert(const HashedValue& value, std::uint64_t low, std::uint64_t count);
  bool grow();
  /// Moves all slots in use to the front of the map's memory, in slot order. Calls each_stretch(stretch) as
  /// soon as a stretch is packed. Returns the number of values moved.
  template <class Use>
  std::size_t pack(const Use& each_stretch);
  /// For the sorted stretch at the beginning of the map: how many values at its end have their home after it.
  std::size_t count_strays(const Stretch& first) const noexcept;
  bool add_crowded(Crowded& crowded, const Slot& slot);
  void forget(Crowded& crowded) noexcept;

  MemoryLedger* ledger_;
  Arena arena_;
  bool wide_;
  SlotLines map_;
  std::size_t num_values_ = 0;
  ZeroedMemory memory_;  // for the lines
  Crowded crowded_;      // values that found no free slot
};

}  // namespace widehash::detail
