#pragma once

/// \file
/// Recognises numbers and times in a notation that numeric features and ISO times do not use, so that they
/// would be hashed as text: 154,61 and 1,234.50, 12 % and 3.2 kg, 16.08.2024.

#include <widehash/time_format.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

class OtherWriting {
 public:
  /// Adds a value of a field. Only the first values are examined. Missing values must not be added.
  void add(std::string_view value);
  bool looks_further() const noexcept { return seen_ < most_values; }

  /// What the values are, with an example: "numbers with a decimal comma, such as 154,61"; for times also the
  /// patterns that read all of them. Empty for fewer than ten values, where not nearly all examined values
  /// are such, and where fewer than half share one notation.
  std::string description() const;
  /// Whether description() describes times.
  bool holds_times() const noexcept;

 private:
  static constexpr std::uint64_t most_values = 1000;

  enum Form { decimal_comma, grouped, percent, currency, unit, num_forms };

  void add_number(std::string_view value);
  void add_time(std::string_view value);
  void count(Form form, std::string_view value);

  std::uint64_t seen_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t three_behind_comma_ = 0;  // 1,234: either a decimal fraction or a grouped thousand
  std::array<std::uint64_t, num_forms> counts_{};
  std::array<std::string, num_forms> examples_;
  std::string unit_;                   // the unit of all values with a unit so far
  std::vector<const char*> patterns_;  // the patterns that have read all values so far
  std::string time_example_;
};

}  // namespace widehash
