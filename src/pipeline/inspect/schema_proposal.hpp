#pragma once

/// \file
/// Proposes a schema from what a table was found to hold.

#include "field_census.hpp"

#include <widehash/inspect.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// The fields that are not features; "" where there is none.
struct FieldRoles {
  std::string label;
  std::string weight;

  /// Whether a field has a name, by which features refer to fields, and neither of these roles.
  bool is_feature(std::string_view field) const noexcept;
  /// Throws ConfigError where both are the same field.
  void check() const;
};

/// Fills report.schema and report.schema_toml from report.fields and from the label's values in the census.
/// Throws ConfigError where the weight is not a number.
void propose_schema(const DialectGuess& guess, const FieldRoles& roles,
                    const std::vector<FieldCensus>& census, InspectReport& report);

}  // namespace widehash
