#pragma once

/// \file
/// A schema to start from, proposed from what a table was found to hold.

#include "field_census.hpp"

#include <widehash/inspect.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Fields that are no features; "" where there is none.
struct FieldRoles {
  std::string label;
  std::string weight;

  /// Whether a field has a name, which features are found by, and none of these roles.
  bool is_feature(std::string_view field) const noexcept;
  /// Throws ConfigError where they are one field.
  void check() const;
};

/// Fills report.schema and report.schema_toml from report.fields and what the census kept of the label's
/// values. Throws ConfigError where the weight is no number.
void propose_schema(const DialectGuess& guess, const FieldRoles& roles,
                    const std::vector<FieldCensus>& census, InspectReport& report);

}  // namespace widehash
