#pragma once

/// \file
/// Decides whether a row is usable under a schema, before any table is available: its fields are present, its
/// label is a target, its weight and its numbers are numbers, its times are times. `fit` and `transform`
/// apply the same rules and so reject the same rows.

#include "target_parser.hpp"

#include <widehash/encoder.hpp>
#include <widehash/folds.hpp>
#include <widehash/schema.hpp>
#include <widehash/time_format.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// The reason for rejecting a row that equals FieldBinding::header.
inline constexpr const char* repeated_header =
    "the header line again, as in files that were joined: name the files separately, or remove this line";

/// The same where the schema says that files have no header.
inline constexpr const char* unexpected_header =
    "the names of the fields, although header = false: remove this line, or set header = true";

/// Whether the first value of a row is the first name of a header, including after the byte order mark of a
/// file that was appended to another one.
bool begins_header(std::string_view value, std::string_view name) noexcept;

class RowRules {
 public:
  /// `kept_fields`: further fields that must be present, FieldBinding::kept. `folds`: the folds that are
  /// taken. `kept_for`: completes the message about a missing kept field ("has no field 'x', which ...");
  /// must be a string literal. Throws what check_folds() throws.
  explicit RowRules(const Schema& schema, std::vector<std::string> kept_fields = {}, Folds folds = {},
                    const char* kept_for = "is to be kept");

  /// As Encoder::field_names().
  const std::vector<std::string>& field_names() const noexcept { return field_names_; }
  /// As Encoder::bind().
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label) const;
  FieldBinding bind(const ColumnTable& table, bool needs_label) const;

  /// The numeric features, as positions in the schema.
  const std::vector<std::size_t>& numeric_features() const noexcept { return numeric_; }
  std::size_t num_numbers() const noexcept { return numeric_.size(); }

  /// Reads target, weight and numbers of a row. `numbers` has room for num_numbers(), in schema order; NaN
  /// stands for a missing one. Returns false, and sets `reason`, where the row cannot be used. Rows is
  /// RowsView or PlacedRows.
  template <class Rows>
  bool read_row(const Rows& rows, std::size_t row, const FieldBinding& binding, float& target, float& weight,
                std::string& reason, double* numbers) const;

 private:
  class Fields;
  /// A field from which a feature takes a part of the time.
  struct TimeField {
    std::size_t feature = 0;
    std::size_t field = 0;  // index among the feature's fields
    TimeFormat format;
  };

  /// How the numbers of a numeric feature are read.
  struct NumberRule {
    std::optional<TimeField> time;  // set where the number is a part of a time
    std::vector<double> missing;    // numbers that mean missing, however they are written
  };

  void add_numbers(std::size_t index);
  void add_times(std::size_t index);
  FieldBinding bind(const Fields& fields, bool needs_label) const;
  bool read_weight(std::string_view text, float& weight, std::string& reason) const;
  bool read_number(std::size_t feature, const NumberRule& rule, std::string_view text, double& number,
                   std::string& reason) const;
  bool read_time(const TimeField& time, std::string_view text, double& part, std::string& reason) const;

  Schema schema_;
  std::vector<std::string> field_names_;
  std::vector<std::string> kept_fields_;
  const char* kept_for_;
  Folds folds_;
  TargetParser targets_;
  std::vector<std::size_t> numeric_;      // positions in the schema
  std::vector<NumberRule> number_rules_;  // one per numeric feature
  std::vector<TimeField> times_;          // of the other features; those read in the same way appear once
  std::vector<std::size_t> crosses_;      // the crosses of multi-valued fields
};

}  // namespace widehash
