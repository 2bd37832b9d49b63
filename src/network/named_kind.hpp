#pragma once

#include <widehash/error.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {

template <class Kind, std::size_t N>
using KindNames = std::array<std::pair<Kind, const char*>, N>;

/// Name of a number that is no value of the enumeration.
inline constexpr std::string_view no_name = "unknown";

template <class Kind, std::size_t N>
const char* name_of(const KindNames<Kind, N>& names, Kind kind) noexcept {
  for (const auto& [known, name] : names) {
    if (known == kind) return name;
  }
  return no_name.data();
}

/// Throws ConfigError for unknown names, such as "unknown loss 'hinge'; use one of logistic, mse, softmax,
/// poisson".
template <class Kind, std::size_t N>
Kind parse_kind(const KindNames<Kind, N>& names, std::string_view what, std::string_view text) {
  std::string known_names;
  for (const auto& [known, name] : names) {
    if (text == name) return known;
    known_names += known_names.empty() ? name : fmt::format(", {}", name);
  }
  throw ConfigError(fmt::format("unknown {} '{}'; use one of {}", what, text, known_names));
}

}  // namespace widehash::detail
