#pragma once

/// \file
/// Counts as most tables have them: no more than eight characters. In a column of them lengths, signs and
/// missing values come in an order that no processor guesses, so nothing here branches on what it reads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace widehash {

/// The `length` <= 8 characters that `word` begins with, low byte first, as a number: digits, behind a '-'
/// where there is one; NaN where there are none. False for anything else; `number` is then anything.
inline bool read_short_integer(std::uint64_t word, std::size_t length, double& number) noexcept {
  constexpr std::uint64_t zeros = 0x3030303030303030;  // the text "00000000"
  constexpr std::uint64_t high_halves = 0xF0F0F0F0F0F0F0F0;
  const std::uint64_t is_empty = length == 0 ? 1 : 0;
  const std::uint64_t is_negative = static_cast<std::uint64_t>(length > 1) & ((word & 0xFF) == '-' ? 1 : 0);
  const std::size_t digits = length - is_negative;
  // Zeros in front make them eight; in two steps, since none is shifted by all 64 bits.
  const auto half_shift = static_cast<unsigned>(32 - 4 * digits);
  const auto to_end = [half_shift](std::uint64_t bytes) { return bytes << half_shift << half_shift; };
  word = to_end(word >> 8 * is_negative) | (zeros & ~to_end(~std::uint64_t{0}));
  // '0' to '9' are 0x30 to 0x39, and with 6 more they are still below 0x40.
  const std::uint64_t one_more = (word + 0x0606060606060606) & high_halves;
  const bool are_digits = (((word & high_halves) ^ zeros) | (one_more ^ zeros)) == 0;
  // Neighbours become one number each, of two, four and eight digits; the first digit stands lowest.
  word -= zeros;
  word = (word * 10 + (word >> 8)) & 0x00FF00FF00FF00FF;
  word = (word * 100 + (word >> 16)) & 0x0000FFFF0000FFFF;
  word = (word * 10'000 + (word >> 32)) & 0x00000000FFFFFFFF;
  static constexpr std::array<double, 2> if_empty{0.0, std::numeric_limits<double>::quiet_NaN()};
  static constexpr std::array<double, 2> sign{1.0, -1.0};
  number = (static_cast<double>(static_cast<std::int64_t>(word)) + if_empty[is_empty]) * sign[is_negative];
  return are_digits;
}

}  // namespace widehash
