#pragma once

/// \file
/// Limits how many rows are encoded before their codes are taken away, so that memory stays bounded however
/// many codes a row expands to.

#include <widehash/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace widehash {

/// The maximum number of rows in a tile: unlimited unless a feature is a cross of multi-valued fields. Such a
/// cross may have 65,536 combinations in a row, which take a megabyte.
inline std::size_t most_tile_rows(const Schema& schema) {
  constexpr std::size_t rows_of_crosses = 32;
  const bool has_multi_valued_cross = std::ranges::any_of(schema.features, [](const Feature& feature) {
    return feature.is_cross() && !feature.separator.empty() && feature.encoding != Encoding::ignore;
  });
  return has_multi_valued_cross ? rows_of_crosses : std::numeric_limits<std::size_t>::max();
}

}  // namespace widehash
