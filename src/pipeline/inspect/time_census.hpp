#pragma once

/// \file
/// Whether the values of a field are times, and which parts of them differ.

#include <widehash/time_format.hpp>

#include <bit>
#include <cstdint>
#include <string_view>

namespace widehash {

class TimeCensus {
 public:
  /// Of ISO times those with dashes: eight digits may be any number.
  void add(std::string_view value) noexcept {
    constexpr std::size_t dash = 4;
    const auto time = value.size() > dash && value[dash] == '-' ? TimeFormat().parse(value) : std::nullopt;
    if (!time) return rule_out();
    holds_any_ = true;
    hours_ |= 1U << time->hour;
    weekdays_ |= 1U << part_of(*time, TimePart::weekday);
    months_ |= 1U << time->month;
  }
  void rule_out() noexcept { is_possible_ = false; }

  /// Whether each value so far was a time.
  bool is_possible() const noexcept { return is_possible_; }
  bool holds_times() const noexcept { return is_possible_ && holds_any_; }

  // How many were seen.
  int hours() const noexcept { return std::popcount(hours_); }
  int weekdays() const noexcept { return std::popcount(weekdays_); }
  int months() const noexcept { return std::popcount(months_); }

 private:
  bool is_possible_ = true;
  bool holds_any_ = false;
  std::uint32_t hours_ = 0;
  std::uint32_t weekdays_ = 0;
  std::uint32_t months_ = 0;
};

}  // namespace widehash
