#pragma once

/// \file
/// Which values of an exact feature have a column of their own.

#include <widehash/lookup_table.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <vector>

namespace widehash {

/// Their places in the table, in the order of their columns: the most frequent first, those of one count in
/// the order of the table; at least `min_count` times seen, at most `max_values` of them. None where the
/// feature is not exact. Cost: O(n log n).
std::vector<std::uint64_t> head_values(const LookupTable& table, const Feature& feature);

}  // namespace widehash
