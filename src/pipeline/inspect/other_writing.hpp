#pragma once

/// \file
/// Numbers and times that are written as numeric features and ISO times are not, so that they are text here,
/// and hashed: 154,61 and 1,234.50, 12 % and 3.2 kg, 16.08.2024.

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
  /// Of a field; the first values are looked at. Missing ones are not to be added.
  void add(std::string_view value);
  bool looks_further() const noexcept { return seen_ < most_values; }

  /// What they are and what such a one looks like: "numbers with a decimal comma, such as 154,61"; of times also the
  /// patterns that read all of them. Empty where not nearly all of those looked at are, or all are plain numbers.
  std::string description() const;
  /// Of description(): whether they are times.
  bool holds_times() const noexcept;

 private:
  static constexpr std::uint64_t most_values = 1000;

  enum Form { decimal_comma, grouped, percent, currency, unit, num_forms };

  void add_number(std::string_view value);
  void add_time(std::string_view value);
  void count(Form form, std::string_view value);

  std::uint64_t seen_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t three_behind_comma_ = 0;  // 1,234: a fraction or a thousand
  std::array<std::uint64_t, num_forms> counts_{};
  std::array<std::string, num_forms> examples_;
  std::string unit_;                   // the one of all values so far
  std::vector<const char*> patterns_;  // that have read all values so far
  std::string time_example_;
};

}  // namespace widehash
