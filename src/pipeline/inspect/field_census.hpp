#pragma once

/// \file
/// Finds out what one field of a table holds, in one pass and in bounded memory.

#include "list_census.hpp"
#include "number_sample.hpp"
#include "other_writing.hpp"
#include "time_census.hpp"

#include <widehash/cardinality.hpp>
#include <widehash/inspect.hpp>
#include <widehash/internal/missing_markers.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

class FieldCensus {
 public:
  /// Distinct values are counted exactly, and kept, up to this many.
  static constexpr std::size_t exact_distinct = 4096;
  /// A longer value is not kept whole; values() is then empty.
  static constexpr std::size_t kept_bytes = 256;

  /// If the field `holds_lists`, call add() for each value of a list, and with an empty value for a row
  /// without values.
  explicit FieldCensus(std::string name, bool holds_lists = false)
      : name_(std::move(name)), holds_lists_(holds_lists) {}

  const std::string& name() const noexcept { return name_; }
  bool holds_lists() const noexcept { return holds_lists_; }

  void add(std::string_view value);
  FieldReport report() const;

  /// Whether the field has numbers, and otherwise only empty values and missing markers.
  bool holds_numbers() const noexcept { return numbers_ > 0 && !is_text_ && others_.empty(); }
  /// The same for times.
  bool holds_times() const noexcept { return times_.holds_times(); }
  const TimeCensus& times() const noexcept { return times_; }
  /// How the field's texts are lists; nothing where they are not, and where `holds_lists` is set.
  std::optional<ListCensus::Lists> lists() const;
  /// The few distinct texts that prevent a field from being one of numbers. Empty where there are none, or
  /// where its numbers are as few and as whole as codes and are not nearly all of its values.
  std::vector<std::string> texts_among_numbers() const;
  /// For a field of text: whether its values are numbers or times in another notation.
  const OtherWriting& other_writing() const noexcept { return other_writing_; }
  std::uint64_t numbers() const noexcept { return numbers_; }
  /// A sample of all numbers. Requires holds_numbers().
  const NumberSample& number_sample() const noexcept { return number_sample_; }
  /// Rows with the marker missing_markers[index]. Requires holds_numbers() or holds_times().
  std::uint64_t rows_with_marker(std::size_t index) const noexcept { return markers_[index]; }

  struct CountedValue {
    std::string value;
    std::uint64_t count = 0;
  };
  /// Every distinct value that is not empty, in the order of first sight. Empty where there are more than
  /// exact_distinct, or one is longer than kept_bytes.
  const std::vector<CountedValue>& values() const noexcept { return values_; }

 private:
  void add_exactly(std::string_view value, std::uint64_t hash);
  void grow();
  void add_typed(std::string_view value);
  void add_number(std::string_view value, double number);
  void add_other(std::string_view value);

  std::string name_;
  bool holds_lists_;
  std::uint64_t rows_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t longest_bytes_ = 0;
  bool all_integers_ = true;  // of the values that are numbers
  std::uint64_t numbers_ = 0;
  /// Texts that are neither numbers nor markers, in the order of first sight, until there are too many to be
  /// mistakes.
  std::vector<std::string> others_;
  std::uint64_t other_rows_ = 0;
  bool is_text_ = false;
  std::array<std::uint64_t, missing_markers.size()> markers_{};  // rows with each marker
  NumberSample number_sample_;
  TimeCensus times_;
  OtherWriting other_writing_;
  ListCensus lists_;
  double minimum_ = 0;
  double maximum_ = 0;
  HyperLogLog distinct_;
  bool exact_ = true;
  std::vector<CountedValue> values_;
  std::vector<std::uint64_t> hashes_;                                     // of values_
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, 0);  // 1 + position in values_; 0: empty
  std::vector<std::string> examples_;
};

}  // namespace widehash
