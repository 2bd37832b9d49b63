#pragma once

/// \file
/// The cache lines of a ValueMap, and the loop that counts values found in them.

#include <widehash/internal/hashed_value.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace widehash::detail {

constexpr std::size_t slots_per_line = 2;

/// Two slots of a map, word beside word: so a value is compared with both at once, and what is compared is
/// never loaded together with a count that was just stored. The words are those of HashedValue; `tag` is 0 in
/// a free slot. A value that is not in the slot lies elsewhere, at the address in `rest`.
struct alignas(64) SlotLine {
  using Words = std::array<std::uint64_t, slots_per_line>;
  Words tag, rest, hash, count;
};

/// All lines of a map, a power of two of them. The search for a value begins at its home, the line that the
/// top bits of its hash choose, and goes on to the next line, behind the last one to the first, until one has a
/// free slot.
struct SlotLines {
  SlotLine* lines = nullptr;
  std::size_t num_lines = 0;
  int shift = 64;  // the home of a hash is hash >> shift

  SlotLines() = default;
  SlotLines(SlotLine* first, std::size_t number) noexcept
      : lines(first), num_lines(number), shift(64 - std::countr_zero(number)) {}

  SlotLine* home(std::uint64_t hash) const noexcept { return lines + (hash >> shift); }
  SlotLine* next(const SlotLine* line) const noexcept {
    return lines + (static_cast<std::size_t>(line + 1 - lines) & (num_lines - 1));
  }
};

/// Adds one to the count of each value, as long as each is found within `longest_search` lines; returns the
/// first that is not, or `end`. Hashes must be those of the values: two that are in their slots are told
/// apart by their bytes alone.
const HashedValue* count_found(const SlotLines& map, std::size_t longest_search, const HashedValue* value,
                               const HashedValue* end) noexcept;

}  // namespace widehash::detail
