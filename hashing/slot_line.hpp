#pragma once

/// \file
/// The cache lines of a ValueMap, and the loop that counts the values found in them.

#include <widehash/internal/hashed_value.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace widehash::detail {

constexpr std::size_t slots_per_line = 2;

/// Two slots of a map, with corresponding words side by side. A value can thus be compared with both slots at
/// once, and a comparison never loads a count that was just stored. The words are those of HashedValue. `tag`
/// is 0 in a free slot. A value that is not stored in the slot is elsewhere, at the address in `rest`.
struct alignas(64) SlotLine {
  using Words = std::array<std::uint64_t, slots_per_line>;
  Words tag, rest, hash, count;
};

/// All lines of a map; their number is a power of two. The search for a value begins at its home, the line
/// given by the top bits of its hash, and moves on to the next line (after the last one to the first) until a
/// line has a free slot.
struct SlotLines {
  SlotLine* lines = nullptr;
  std::size_t num_lines = 0;
  int shift = 64;  // the home of a hash is line hash >> shift

  SlotLines() = default;
  SlotLines(SlotLine* first, std::size_t number) noexcept
      : lines(first), num_lines(number), shift(64 - std::countr_zero(number)) {}

  SlotLine* home(std::uint64_t hash) const noexcept { return lines + (hash >> shift); }
  SlotLine* next(const SlotLine* line) const noexcept {
    return lines + (static_cast<std::size_t>(line + 1 - lines) & (num_lines - 1));
  }
};

/// Adds one to the count of each value as long as each is found within `longest_search` lines. Returns the
/// first value that is not found, or `end`. Requires correct hashes: two values that are stored in their slots
/// are distinguished by their bytes alone.
const HashedValue* count_found(const SlotLines& map, std::size_t longest_search, const HashedValue* value,
                               const HashedValue* end) noexcept;

}  // namespace widehash::detail
