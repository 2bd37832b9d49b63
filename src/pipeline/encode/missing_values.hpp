#pragma once

/// \file
/// What a schema treats as missing.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// True for the empty text and for Schema::missing_values_of() a feature.
inline bool is_missing_value(std::string_view text, std::span<const std::string> missing_values) noexcept {
  return text.empty() || std::ranges::find(missing_values, text) != missing_values.end();
}

}  // namespace widehash
