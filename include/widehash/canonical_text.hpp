#pragma once

/// \file
/// The canonical text of a typed value: what is hashed, so that a CSV, a Parquet file and an object in memory
/// that mean the same value get the same code.
///
///     integers          decimal: "-7"
///     integral floats   as that integer: 3.0 -> "3", -0.0 -> "0"
///     other floats      the shortest text that reads back (as std::to_chars): 0.1 -> "0.1", 1e-7 -> "1e-07"
///     infinities        "inf", "-inf"
///     NaN               "" (a missing value)
///     booleans          "true", "false"
///     text              its bytes as they are

#include <cstddef>
#include <cstdint>
#include <string>

namespace widehash {

/// Bytes that the text of a number takes at most: the largest double is an integer of 309 digits.
inline constexpr std::size_t max_canonical_bytes = 316;

/// Writes the text from `out` on, where max_canonical_bytes can be written, and returns its end.
char* write_canonical_text(std::int64_t value, char* out) noexcept;
char* write_canonical_text(std::uint64_t value, char* out) noexcept;
char* write_canonical_text(double value, char* out) noexcept;
char* write_canonical_text(float value, char* out) noexcept;

std::string canonical_text(std::int64_t value);
std::string canonical_text(std::uint64_t value);
std::string canonical_text(double value);
std::string canonical_text(float value);
std::string canonical_text(bool value);

}  // namespace widehash
