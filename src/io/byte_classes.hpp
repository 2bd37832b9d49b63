#pragma once

/// \file
/// Classifies the bytes of a text as delimiters, line ends and quotes, one bit per byte.

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

inline constexpr std::size_t class_bytes = 64;  // bytes per step

struct ByteClasses {
  std::uint64_t delimiters = 0;
  std::uint64_t line_ends = 0;
  std::uint64_t quotes = 0;
};

/// Bit i of the result is the parity of bits 0..i: set from an opening quote up to, but not including, its
/// closing one.
inline std::uint64_t parity_up_to(std::uint64_t bits) noexcept {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Whether nothing, or only a CR, stands between the LF at `line_end` and the LF before it. Requires that the
/// two bytes before `line_end` can be read.
inline bool is_blank_line(const char* line_end) noexcept {
  return line_end[-1] == '\n' || (line_end[-1] == '\r' && line_end[-2] == '\n');
}

/// Classifies the 64 bytes from `text` on.
ByteClasses classify_bytes(const char* text, char delimiter, char quote) noexcept;

}  // namespace widehash::detail
