#pragma once

/// \file
/// Trims values in memory as reading a file with `trim` in its schema would.

#include <widehash/dialect.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace widehash {

/// Removes the spaces around values[0], values[stride], ...
inline void trim_values(std::span<std::string_view> values, std::size_t stride) noexcept {
  for (std::size_t i = 0; i < values.size(); i += stride) values[i] = trimmed(values[i]);
}

}  // namespace widehash
