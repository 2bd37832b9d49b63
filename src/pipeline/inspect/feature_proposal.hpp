#pragma once

/// \file
/// The features that a field is proposed to become, from what it was found to hold.

#include "field_census.hpp"

#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// A cardinality to freeze for a field of so many distinct values in so many rows: with room for values not
/// yet seen, and for up to four columns a value where rows are many for each.
std::uint64_t proposed_cardinality(double distinct, std::uint64_t rows) noexcept;

/// Into how many intervals so many numbers are cut.
std::size_t proposed_intervals(std::uint64_t numbers) noexcept;

/// Whether nearly every one of so many rows has a value of its own, of which hashing learns nothing for others.
bool is_nearly_unique(const FieldReport& field, std::uint64_t rows) noexcept;

struct FeatureProposal {
  Feature feature;
  std::string comment;  // lines of TOML that go before it
};

/// The features of a field, in `rows` rows: each of its values hashed; intervals of its numbers, where they are many,
/// beside or in place of that; parts of its times, where all are seen. `field` is the census's report.
std::vector<FeatureProposal> propose_features(const FieldCensus& census, const FieldReport& field,
                                              std::uint64_t rows);

}  // namespace widehash
