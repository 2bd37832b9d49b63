#pragma once

/// \file
/// Classes of ASCII characters. Those of <cctype> follow the locale of the program that links the library.

#include <string>
#include <string_view>

namespace widehash::detail {

constexpr bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr char ascii_lower(char c) noexcept {
  return is_ascii_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool is_ascii_letter(char c) noexcept { return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z'; }

/// The text with its ASCII letters in lower case.
inline std::string to_ascii_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ascii_lower(c);
  return lower;
}

}  // namespace widehash::detail
