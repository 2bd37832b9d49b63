#pragma once

/// \file
/// Proposes the features of a field from what the field was found to hold.

#include "field_census.hpp"

#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// The cardinality to propose for a field with `distinct` distinct values in `rows` rows. It leaves room for
/// values not yet seen, and for up to four columns per value where there are many rows per value.
std::uint64_t proposed_cardinality(double distinct, std::uint64_t rows) noexcept;

/// The number of intervals into which `numbers` numbers are cut.
std::size_t proposed_intervals(std::uint64_t numbers) noexcept;

/// Whether nearly every one of `rows` rows has a value of its own, from which hashing learns nothing about
/// other rows.
bool is_nearly_unique(const FieldReport& field, std::uint64_t rows) noexcept;

struct FeatureProposal {
  Feature feature;
  std::string comment;  // lines of TOML to write before it
};

/// The features of a field in `rows` rows: each of its values hashed; intervals of its numbers, where there
/// are many, in addition or instead; parts of its times, where all of their values are seen. `field` is the
/// report of `census`.
std::vector<FeatureProposal> propose_features(const FieldCensus& census, const FieldReport& field,
                                              std::uint64_t rows);

}  // namespace widehash
