#pragma once

/// \file
/// The head of an exact feature: the values of its lookup table that have a column of their own.

#include <widehash/lookup_table.hpp>
#include <widehash/schema.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {

class HeadMap {
 public:
  /// Takes the values seen at least `feature.min_count` times, and only the most frequent
  /// `feature.max_values` of them where that is set. Columns are assigned by falling count, ties in the order
  /// of the table, so that frequent values are adjacent. `table` must outlive the map, because values are
  /// compared where they are mapped. Throws ConfigError where there are too many values for a column each.
  HeadMap(const LookupTable& table, const Feature& feature);

  std::uint32_t num_columns() const noexcept { return num_columns_; }

  /// The column of a value, or nothing where the value belongs to the tail. `hash` is the value's XXH64, or
  /// the high half of its XXH3-128.
  std::optional<std::uint32_t> find(std::string_view value, std::uint64_t hash) const noexcept;

  /// Whether searches are likely to wait for memory.
  bool is_large() const noexcept { return slots_.size() * sizeof(Slot) > (std::size_t{1} << 18); }
  /// Starts loading what find() will look at first.
  void prefetch(std::uint64_t hash) const noexcept { __builtin_prefetch(&slots_[hash & mask_]); }

 private:
  static constexpr std::uint32_t empty = 0xFFFFFFFF;
  // Most values are in their slot, so that a search touches one cache line and not also the table's text.
  static constexpr std::size_t inline_bytes = 16;
  struct Slot {
    std::uint32_t column = empty;
    std::uint32_t length = 0;  // of the value: tables hold none of 2^32 bytes (HashedValue::max_bytes)
    std::array<std::uint64_t, 2>
        words{};  // the value; of a longer one, its hash and its address in the table
  };
  static std::array<std::uint64_t, 2> words_of(std::string_view value, std::uint64_t hash) noexcept;
  // A search in a half-full table does not come near this by chance; values crafted to collide go to the
  // tree.
  static constexpr std::size_t longest_search = 512;

  /// The slot of this hash and value, or the first free slot; null where neither is within longest_search.
  const Slot* search(std::string_view value, std::uint64_t hash) const noexcept;

  std::uint32_t num_columns_ = 0;
  std::uint64_t mask_ = 0;
  std::vector<Slot> slots_;
  std::map<std::pair<std::uint64_t, std::string_view>, std::uint32_t> crowded_;  // hash, value -> column
};

}  // namespace widehash
