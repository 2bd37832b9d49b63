#pragma once

/// \file
/// How many rows may be encoded before their codes are taken away, so that memory stays within bounds whatever a row
/// expands to.

#include <widehash/schema.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace widehash {

/// Rows of a tile: no limit but where a feature is a cross of multi-valued fields. A row may have 65,536 combinations
/// of these, which take a megabyte.
inline std::size_t most_tile_rows(const Schema& schema) {
  constexpr std::size_t rows_of_crosses = 32;
  const bool has_multi_valued_cross = std::ranges::any_of(schema.features, [](const Feature& feature) {
    return feature.is_cross() && !feature.separator.empty() && feature.encoding != Encoding::ignore;
  });
  return has_multi_valued_cross ? rows_of_crosses : std::numeric_limits<std::size_t>::max();
}

}  // namespace widehash
