#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace widehash::detail {

/// Returns the number that the whole of `text` is, as std::from_chars() reads it; empty if it is not a number
/// or does not fit a Number. `base` is for integers only.
template <class Number, class... Base>
requires std::is_arithmetic_v<Number> &&
    (sizeof...(Base) == 0 || std::integral<Number>)std::optional<Number> parse_all(std::string_view text,
                                                                                   Base... base) noexcept {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, base...);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace widehash::detail
