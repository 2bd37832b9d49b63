#pragma once

/// \file
/// Finds out whether the values of a field are times, which parts of them differ, and which few texts prevent
/// such a field from being one of times.

#include <widehash/time_format.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

class TimeCensus {
 public:
  /// Counts only ISO times with dashes as times, because eight digits may be any number.
  void add(std::string_view value) {
    constexpr std::size_t dash = 4;
    const auto time = value.size() > dash && value[dash] == '-' ? TimeFormat().parse(value) : std::nullopt;
    if (!time) return add_other(value);
    ++times_;
    hours_ |= 1U << time->hour;
    weekdays_ |= 1U << part_of(*time, TimePart::weekday);
    months_ |= 1U << time->month;
  }
  void rule_out() noexcept { is_possible_ = false; }

  /// Whether the field may be one of times, perhaps with a few texts that are not times.
  bool is_possible() const noexcept { return is_possible_; }
  /// Whether every value so far was a time.
  bool holds_times() const noexcept { return is_possible_ && others_.empty() && times_ > 0; }
  std::uint64_t times() const noexcept { return times_; }
  /// The texts that are not times, in the order of first sight; empty where not nearly all values are times.
  std::vector<std::string> others() const {
    return is_possible_ && times_ >= times_per_other * other_rows_ ? others_ : std::vector<std::string>{};
  }

  // How many distinct ones were seen.
  int hours() const noexcept { return std::popcount(hours_); }
  int weekdays() const noexcept { return std::popcount(weekdays_); }
  int months() const noexcept { return std::popcount(months_); }

 private:
  static constexpr std::size_t most_others = 8;
  static constexpr std::size_t longest_other = 64;
  static constexpr std::uint64_t times_per_other = 19;
  static constexpr std::uint64_t rows_that_decide = 1000;

  void add_other(std::string_view value) {
    ++other_rows_;
    if (std::ranges::find(others_, value) == others_.end()) {
      if (others_.size() == most_others || value.size() > longest_other) return rule_out();
      others_.emplace_back(value);
    }
    if (other_rows_ >= rows_that_decide && times_ < times_per_other * other_rows_) rule_out();
  }

  bool is_possible_ = true;
  std::uint64_t times_ = 0;
  std::vector<std::string> others_;
  std::uint64_t other_rows_ = 0;
  std::uint32_t hours_ = 0;
  std::uint32_t weekdays_ = 0;
  std::uint32_t months_ = 0;
};

}  // namespace widehash
