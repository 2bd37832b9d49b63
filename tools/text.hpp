#pragma once

/// \file
/// Numbers and values as people read them.

#include <cstdint>
#include <string>
#include <string_view>

namespace widehash::tools {

/// "1,234,567".
std::string count_text(std::uint64_t count);
/// The same, of things: "1 row", "1,234 rows". `one` is the singular.
std::string count_text(std::uint64_t count, std::string_view one);
/// A count that need not be whole: "0.5", "1,234", "1.2e+15".
std::string estimate_text(double value);
/// Decimal units, three digits: "1.23 GB".
std::string bytes_text(std::uint64_t bytes);
/// "0.42 s", "3 min 12 s", "1 h 04 min".
std::string seconds_text(double seconds);
/// "312,000 rows/s"; empty if no time passed.
std::string rate_text(std::uint64_t rows, double seconds);

/// Returns `bytes` with control characters and invalid UTF-8 escaped as \t, \n or \x1b, so that data cannot
/// control a terminal.
std::string printable(std::string_view bytes);
/// The same in double quotes, cut to about `max_width` characters.
std::string quoted_value(std::string_view bytes, std::size_t max_width = 60);

/// Counts the characters of UTF-8 text. That is its width on a terminal, except for wide characters.
std::size_t display_width(std::string_view text);

}  // namespace widehash::tools
