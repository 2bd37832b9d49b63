#pragma once

/// \file
/// Whole numbers out of JSON. The JSON library would turn -1.2 or 1e60 into some whole number without a word;
/// a file that holds such a thing where a count belongs is damaged.

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace widehash::detail {

/// `value` as a T. Throws std::invalid_argument where it is not a whole number from 0 to the largest T;
/// `name` is what the message calls it. `Json` is nlohmann::json or nlohmann::ordered_json.
template <std::unsigned_integral T, class Json>
T count_from(const Json& value, const std::string& name) {
  if (!value.is_number_unsigned() || value.template get<std::uint64_t>() > std::numeric_limits<T>::max()) {
    throw std::invalid_argument("'" + name + "' is no whole number from 0 to " +
                                std::to_string(std::numeric_limits<T>::max()));
  }
  return static_cast<T>(value.template get<std::uint64_t>());
}

/// json[key] as a T. Throws what the JSON library throws where there is no such key.
template <std::unsigned_integral T = std::uint64_t, class Json>
T json_count(const Json& json, const char* key) {
  return count_from<T>(json.at(key), key);
}

/// json[key], a list, as Ts.
template <std::unsigned_integral T = std::uint64_t, class Json>
std::vector<T> json_counts(const Json& json, const char* key) {
  std::vector<T> counts;
  for (const auto& value : json.at(key).template get_ref<const typename Json::array_t&>()) {
    counts.push_back(count_from<T>(value, key));
  }
  return counts;
}

}  // namespace widehash::detail
