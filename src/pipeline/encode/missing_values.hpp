#pragma once

/// \file
/// What a schema takes for no value.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// The empty text, and those of Schema::missing_values_of() a feature.
inline bool is_missing_value(std::string_view text, std::span<const std::string> missing_values) noexcept {
  return text.empty() || std::ranges::find(missing_values, text) != missing_values.end();
}

}  // namespace widehash
