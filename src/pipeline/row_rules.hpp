#pragma once

/// \file
/// What makes a row usable under a schema, before any table is at hand: its fields are there, its label is a
/// target, its weight and its numbers are numbers. `fit` and `transform` ask the same rules and so reject the
/// same rows.

#include "target_parser.hpp"

#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class RowRules {
 public:
  explicit RowRules(const Schema& schema);

  /// As Encoder::field_names().
  const std::vector<std::string>& field_names() const noexcept { return field_names_; }
  /// As Encoder::bind().
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label) const;

  /// Reads target and weight of a row and checks its numbers. False, with a reason, where the row cannot be
  /// used.
  bool read_row(const RowsView& rows, std::size_t row, const FieldBinding& binding, float& target,
                float& weight, std::string& reason) const;

 private:
  bool is_missing(std::string_view text) const noexcept;

  Schema schema_;
  std::vector<std::string> field_names_;
  TargetParser targets_;
};

}  // namespace widehash
