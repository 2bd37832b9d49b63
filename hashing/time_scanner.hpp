#pragma once

/// \file
/// Reads the text of a time from its front.

#include <widehash/internal/ascii.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash::detail {

/// Each function removes what it is named after from the front of the text and returns whether it was there.
/// If it was not, the remaining text is unspecified.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) noexcept : left_(text) {}

  bool is_at_end() const noexcept { return left_.empty(); }
  bool is_at_digit() const noexcept { return digits_ahead(1) == 1; }

  bool character(char wanted) noexcept {
    if (!left_.starts_with(wanted)) return false;
    left_.remove_prefix(1);
    return true;
  }

  /// As many digits as there are, up to `most`. Returns false if there are fewer than `least`.
  bool number(std::size_t least, std::size_t most, std::uint32_t& value) noexcept {
    const std::size_t length = digits_ahead(most);
    value = 0;
    for (const char digit : left_.substr(0, length))
      value = value * 10 + static_cast<std::uint32_t>(digit - '0');
    left_.remove_prefix(length);
    return length >= least;
  }

  /// A number of at most 18 digits.
  bool integer(std::int64_t& value) noexcept {
    constexpr std::size_t most = 18;
    const std::size_t length = digits_ahead(most + 1);
    value = 0;
    for (const char digit : left_.substr(0, std::min(length, most))) value = value * 10 + (digit - '0');
    left_.remove_prefix(length);
    return length > 0 && length <= most;
  }

  /// One or more digits, whose value is ignored.
  bool digits() noexcept {
    const std::size_t length = digits_ahead(left_.size());
    left_.remove_prefix(length);
    return length > 0;
  }

  /// Z, UTC, GMT, +02, +0200 or +02:00, with or without a space before it.
  bool zone() noexcept {
    character(' ');
    if (character('Z') || character('z') || word("utc") || word("gmt")) return true;
    if (!character('+') && !character('-')) return false;
    std::uint32_t hours = 0;
    std::uint32_t minutes = 0;
    if (!number(2, 2, hours)) return false;
    const bool has_minutes = character(':') || digits_ahead(1) > 0;
    return (!has_minutes || number(2, 2, minutes)) && hours < 24 && minutes < 60;
  }

  /// AM or PM, case-insensitive.
  bool half_day(bool& is_afternoon) noexcept {
    is_afternoon = word("pm");
    return is_afternoon || word("am");
  }

  /// January to December or Jan to Dec, case-insensitive.
  bool month_name(std::uint32_t& month) noexcept {
    constexpr std::array<std::string_view, 12> names = {"january",   "february", "march",    "april",
                                                        "may",       "june",     "july",     "august",
                                                        "september", "october",  "november", "december"};
    for (month = 1; month <= names.size(); ++month) {
      if (name(names[month - 1])) return true;
    }
    return false;
  }

  /// Monday to Sunday or Mon to Sun, case-insensitive. Not checked against the date.
  bool weekday_name() noexcept {
    constexpr std::array<std::string_view, 7> names = {"monday", "tuesday",  "wednesday", "thursday",
                                                       "friday", "saturday", "sunday"};
    return std::ranges::any_of(names, [&](std::string_view day) { return name(day); });
  }

 private:
  std::size_t digits_ahead(std::size_t most) const noexcept {
    std::size_t length = 0;
    while (length < std::min(most, left_.size()) && detail::is_ascii_digit(left_[length])) ++length;
    return length;
  }

  /// `wanted`, case-insensitive. Requires that `wanted` is in lower case.
  bool word(std::string_view wanted) noexcept {
    if (left_.size() < wanted.size()) return false;
    const bool is_there = std::ranges::equal(left_.substr(0, wanted.size()), wanted, {}, detail::ascii_lower);
    if (is_there) left_.remove_prefix(wanted.size());
    return is_there;
  }

  /// `wanted` or its first three letters.
  bool name(std::string_view wanted) noexcept { return word(wanted) || word(wanted.substr(0, 3)); }

  std::string_view left_;
};

}  // namespace widehash::detail
