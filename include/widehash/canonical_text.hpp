#pragma once

/// \file
/// The canonical text of a typed value. This text is what is hashed, so that equal values in a CSV file, a
/// Parquet file and an object in memory get the same code.
///
///     integers          decimal: "-7"
///     integral floats   as that integer: 3.0 -> "3", -0.0 -> "0"
///     other floats      the shortest text that reads back as the same float of its size (as std::to_chars):
///                       0.1 -> "0.1", 1e-7 -> "1e-07"
///     infinities        "inf", "-inf"
///     NaN               "" (a missing value)
///     booleans          "true", "false"
///     text              its bytes as they are

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>

namespace widehash {

/// A 16-bit IEEE 754 float: numpy's float16 and Arrow's halffloat.
struct Half {
  std::uint16_t bits;
};

/// Maximum length of the text of a number, in bytes. The largest double is an integer of 309 digits.
inline constexpr std::size_t max_canonical_bytes = 316;

/// Maximum length of the text of a 64-bit integer, in bytes.
inline constexpr std::size_t max_integer_bytes = 20;

/// Writes the text to `out` and returns its end. Requires room for the longest text of the type.
inline char* write_canonical_text(std::int64_t value, char* out) noexcept {
  return std::to_chars(out, out + max_integer_bytes, value).ptr;
}
inline char* write_canonical_text(std::uint64_t value, char* out) noexcept {
  return std::to_chars(out, out + max_integer_bytes, value).ptr;
}
char* write_canonical_text(double value, char* out) noexcept;
char* write_canonical_text(float value, char* out) noexcept;
/// A Half that is not an integer has at most five digits.
char* write_canonical_text(Half value, char* out) noexcept;

std::string canonical_text(std::int64_t value);
std::string canonical_text(std::uint64_t value);
std::string canonical_text(double value);
std::string canonical_text(float value);
std::string canonical_text(Half value);
std::string canonical_text(bool value);

}  // namespace widehash
