#pragma once

/// \file
/// The head of an exact feature: which values of its lookup table have a column of their own.

#include <widehash/lookup_table.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {

class HeadMap {
 public:
  /// Takes the values seen at least `feature.min_count` times, the most frequent `feature.max_values` of them
  /// where that is set. Columns go by falling count, ties by the order of the table, so that frequent values
  /// lie side by side. `table` must outlive the map: values are compared where they are mapped.
  HeadMap(const LookupTable& table, const Feature& feature);

  std::uint32_t num_columns() const noexcept { return num_columns_; }

  /// The column of a value, or nothing where it belongs to the tail. `hash` is the value's XXH64 (or the high
  /// half).
  std::optional<std::uint32_t> find(std::string_view value, std::uint64_t hash) const noexcept;

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t column = empty;
    std::uint32_t length = 0;    // of the value: tables have none of 2^32 bytes (HashedValue::max_bytes)
    const char* text = nullptr;  // in the table
  };
  static constexpr std::uint32_t empty = 0xFFFFFFFF;
  // By chance no search in a table half full comes near it; values crafted to meet go to the tree.
  static constexpr std::size_t longest_search = 512;

  /// The slot of a hash and value, or the first free one; null where neither is within longest_search.
  const Slot* search(std::string_view value, std::uint64_t hash) const noexcept;

  std::uint32_t num_columns_ = 0;
  std::uint64_t mask_ = 0;
  std::vector<Slot> slots_;
  std::map<std::pair<std::uint64_t, std::string_view>, std::uint32_t> crowded_;  // hash, value -> column
};

}  // namespace widehash
