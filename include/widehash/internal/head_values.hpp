#pragma once

/// \file
/// Which values of an exact feature have a column of their own.

#include <widehash/lookup_table.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <vector>

namespace widehash {

/// Returns their positions in the table, in the order of their columns: the most frequent first, those with
/// equal counts in the order of the table. Values were seen at least `min_count` times; there are at most
/// `max_values` of them. Empty if the feature is not exact. Cost: O(n log n).
std::vector<std::uint64_t> head_values(const LookupTable& table, const Feature& feature);

}  // namespace widehash
