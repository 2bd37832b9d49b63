#pragma once

/// \file
/// Reads whole numbers from JSON. The JSON library would silently convert -1.2 or 1e60 to some whole number;
/// a file that holds such a number where a count belongs is damaged.

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace widehash::detail {

/// Returns `value` as a T. Throws std::invalid_argument if it is not a whole number from 0 to the largest T;
/// the message calls it `name`. `Json` is nlohmann::json or nlohmann::ordered_json.
template <std::unsigned_integral T, class Json>
T count_from(const Json& value, const std::string& name) {
  if (!value.is_number_unsigned() || value.template get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    throw std::invalid_argument("'" + name + "' is not a whole number from 0 to " +
                                std::to_string(std::numeric_limits<T>::max()));
  }
  return static_cast<T>(value.template get<std::uint64_t>());
}

/// Returns json[key] as a T. If there is no such key, throws what the JSON library throws.
template <std::unsigned_integral T = std::uint64_t, class Json>
T json_count(const Json& json, const char* key) {
  return count_from<T>(json.at(key), key);
}

/// Returns json[key], a list, as Ts.
template <std::unsigned_integral T = std::uint64_t, class Json>
std::vector<T> json_counts(const Json& json, const char* key) {
  std::vector<T> counts;
  for (const auto& value : json.at(key).template get_ref<const typename Json::array_t&>()) {
    counts.push_back(count_from<T>(value, key));
  }
  return counts;
}

}  // namespace widehash::detail
