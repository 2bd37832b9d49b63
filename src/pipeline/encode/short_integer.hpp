#pragma once

/// \file
/// Reads counts of at most eight characters, as most tables have them. Within a column, lengths, signs and
/// missing values follow in an order that no branch predictor guesses, so this code does not branch on what
/// it reads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace widehash {

/// Reads the first `length` <= 8 characters of `word`, low byte first, as a number: digits, optionally
/// preceded by '-'. NaN where `length` is 0. Returns false for anything else, and `number` is then
/// unspecified.
inline bool read_short_integer(std::uint64_t word, std::size_t length, double& number) noexcept {
  constexpr std::uint64_t zeros = 0x3030303030303030;  // the text "00000000"
  constexpr std::uint64_t high_halves = 0xF0F0F0F0F0F0F0F0;
  const std::uint64_t is_empty = length == 0 ? 1 : 0;
  const std::uint64_t is_negative = static_cast<std::uint64_t>(length > 1) & ((word & 0xFF) == '-' ? 1 : 0);
  const std::size_t digits = length - is_negative;
  // Pads with leading zeros to eight digits. Shifts in two steps, because a shift by all 64 bits is
  // undefined.
  const auto half_shift = static_cast<unsigned>(32 - 4 * digits);
  const auto to_end = [half_shift](std::uint64_t bytes) { return bytes << half_shift << half_shift; };
  word = to_end(word >> 8 * is_negative) | (zeros & ~to_end(~std::uint64_t{0}));
  // '0' to '9' are 0x30 to 0x39; with 6 added they are still below 0x40.
  const std::uint64_t one_more = (word + 0x0606060606060606) & high_halves;
  const bool are_digits = (((word & high_halves) ^ zeros) | (one_more ^ zeros)) == 0;
  // Combines neighbours into numbers of two, four and eight digits; the first digit is in the lowest byte.
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
