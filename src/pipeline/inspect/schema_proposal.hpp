#pragma once

/// \file
/// A schema to start from, proposed from what a table was found to hold.

#include "field_census.hpp"

#include <widehash/inspect.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <string>
#include <vector>

namespace widehash {

/// A cardinality to freeze for a field of so many distinct values in so many rows: with room for values not
/// yet seen, and for about 0.7 columns a value where rows are many for each.
std::uint64_t proposed_cardinality(double distinct, std::uint64_t rows) noexcept;

/// Fields that are no features; "" where there is none.
struct FieldRoles {
  std::string label;
  std::string weight;

  /// Throws ConfigError where they are one field.
  void check() const;
};

/// Fills report.schema and report.schema_toml from report.fields and what the census kept of the label's
/// values. Throws ConfigError where the weight is no number.
void propose_schema(const DialectGuess& guess, const FieldRoles& roles,
                    const std::vector<FieldCensus>& census, InspectReport& report);

}  // namespace widehash
