#pragma once

/// \file
/// Texts that tables commonly use for missing values. They are hashed like any other value: only a schema's
/// `missing_values`, which `inspect` may propose, makes them missing.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace widehash {

inline constexpr auto missing_markers = std::to_array<std::string_view>(
    {"NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "\\N", "?", "."});

/// The index of `value` in missing_markers, or missing_markers.size() where it is not one of them.
inline std::size_t missing_marker_index(std::string_view value) noexcept {
  return static_cast<std::size_t>(std::ranges::find(missing_markers, value) - missing_markers.begin());
}

inline bool is_missing_marker(std::string_view value) noexcept {
  return missing_marker_index(value) < missing_markers.size();
}

}  // namespace widehash
