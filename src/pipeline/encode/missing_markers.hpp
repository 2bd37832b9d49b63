#pragma once

/// \file
/// The texts that tables commonly have for nothing. Hashed they are values as all others; only a schema's
/// `missing_values` makes them missing, so that whoever reads a table may propose that and nobody does it
/// unasked.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace widehash {

inline constexpr auto missing_markers = std::to_array<std::string_view>(
    {"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "\\N", "?", "."});

/// The position of `value` among them; their number where it is none of them.
inline std::size_t missing_marker_index(std::string_view value) noexcept {
  return static_cast<std::size_t>(std::ranges::find(missing_markers, value) - missing_markers.begin());
}

inline bool is_missing_marker(std::string_view value) noexcept {
  return missing_marker_index(value) < missing_markers.size();
}

}  // namespace widehash
