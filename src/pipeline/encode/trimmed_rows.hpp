#pragma once

/// \file
/// Values in memory as a file with `trim` in its schema would have given them.

#include <widehash/dialect.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace widehash {

/// values[0], values[stride], ... lose the spaces around them.
inline void trim_values(std::span<std::string_view> values, std::size_t stride) noexcept {
  for (std::size_t i = 0; i < values.size(); i += stride) values[i] = trimmed(values[i]);
}

}  // namespace widehash
