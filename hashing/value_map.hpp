#pragma once

/// \file
/// Counts of distinct values in memory: a map from value to count for each feature, and one arena for the
/// bytes of all. Memory is asked of a ledger before it is taken, so a budget is kept, not discovered to be
/// passed.

#include "value_record.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// How much memory is held, and the most that may be.
class MemoryLedger {
 public:
  explicit MemoryLedger(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  /// Takes the bytes if they fit.
  bool take(std::uint64_t bytes) noexcept {
    if (bytes > limit_bytes_ - held_bytes_) return false;
    held_bytes_ += bytes;
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept { held_bytes_ -= bytes; }
  std::uint64_t held_bytes() const noexcept { return held_bytes_; }
  std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }

 private:
  std::uint64_t limit_bytes_;
  std::uint64_t held_bytes_ = 0;  // never above limit_bytes_
};

/// Bytes that live until all are dropped at once.
class Arena {
 public:
  explicit Arena(MemoryLedger& ledger);
  /// Room for `bytes`, unaligned; null where the ledger has none.
  char* allocate(std::size_t bytes);
  void clear() noexcept;

 private:
  MemoryLedger& ledger_;
  std::size_t chunk_bytes_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::uint64_t held_bytes_ = 0;
  char* free_begin_ = nullptr;
  char* free_end_ = nullptr;
};

/// Open addressing, linear probing from the top bits of the hash. The hash is the key and the bytes settle
/// it, so values crafted to share a hash are counted right, only slower. Cost: no allocation per value.
class ValueMap {
 public:
  /// `wide`: the low half of the hash is kept as well.
  ValueMap(MemoryLedger& ledger, Arena& arena, bool wide) : ledger_(&ledger), arena_(&arena), wide_(wide) {}

  /// Adds to the value's count. False, and nothing changed, where a new value does not fit the ledger.
  bool add(ValueHash hash, std::string_view value, std::uint64_t count);
  std::size_t num_values() const noexcept { return num_values_; }

  /// Orders the values by hash, then by bytes, in place. Afterwards only record() and clear() may be called.
  void sort();
  /// Value `index` < num_values() of the order; valid until the arena is cleared.
  ValueRecord record(std::size_t index) const noexcept;
  /// Forgets the values and gives the map's memory back; the arena is cleared by its owner.
  void clear() noexcept;

 private:
  // Of the record in the arena: [low half of the hash,] length as 32 bits, bytes.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    const char* record = nullptr;  // null: free
  };
  ValueRecord read(const Slot& slot) const noexcept;
  bool grow();

  MemoryLedger* ledger_;
  Arena* arena_;
  bool wide_;
  int log2_capacity_ = 0;
  std::size_t num_values_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace widehash::detail
