#pragma once

/// \file
/// What one field of a table holds, found in one pass and bounded memory.

#include "encode/missing_markers.hpp"
#include "list_census.hpp"
#include "number_sample.hpp"
#include "other_writing.hpp"
#include "time_census.hpp"

#include <widehash/cardinality.hpp>
#include <widehash/inspect.hpp>

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
  /// A value longer than this is not kept whole, and with it the claim to know all values.
  static constexpr std::size_t kept_bytes = 256;

  /// Of a field that `holds_lists` each value is added, and an empty one for a row that has none.
  explicit FieldCensus(std::string name, bool holds_lists = false)
      : name_(std::move(name)), holds_lists_(holds_lists) {}

  const std::string& name() const noexcept { return name_; }
  bool holds_lists() const noexcept { return holds_lists_; }

  void add(std::string_view value);
  FieldReport report() const;

  /// Whether there are numbers, and nothing beside them but empty values and missing markers.
  bool holds_numbers() const noexcept { return numbers_ > 0 && !is_text_ && others_.empty(); }
  /// The same of times.
  bool holds_times() const noexcept { return times_.holds_times(); }
  const TimeCensus& times() const noexcept { return times_; }
  /// How its texts are lists; nothing where they are not, and where each value was added alone.
  std::optional<ListCensus::Lists> lists() const;
  /// The few distinct texts that keep a field of numbers from being one; empty where there are none, or where its
  /// numbers are as few and as whole as codes are, and not nearly all of its values.
  std::vector<std::string> texts_among_numbers() const;
  /// Of a field of text: how its values are numbers or times all the same.
  const OtherWriting& other_writing() const noexcept { return other_writing_; }
  std::uint64_t numbers() const noexcept { return numbers_; }
  /// Of all its numbers; requires holds_numbers().
  const NumberSample& number_sample() const noexcept { return number_sample_; }
  /// Rows with the marker of this index in missing_markers; requires holds_numbers() or holds_times().
  std::uint64_t rows_with_marker(std::size_t index) const noexcept { return markers_[index]; }

  struct CountedValue {
    std::string value;
    std::uint64_t count = 0;
  };
  /// Every distinct value that is not missing, in order of first sight; empty where there are more than
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
  bool all_integers_ = true;  // of those that are numbers
  std::uint64_t numbers_ = 0;
  /// What is neither a number nor a marker, in order of first sight, until it is too much to be by mistake.
  std::vector<std::string> others_;
  std::uint64_t other_rows_ = 0;
  bool is_text_ = false;
  std::array<std::uint64_t, missing_markers.size()> markers_{};  // rows with each
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
