#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash::detail {

inline constexpr const char* model_kind = "model";
/// Of the sections and the metadata inside the section file, which has a version of its own.
inline constexpr std::uint32_t model_version = 1;
/// Of a model of several towers: programs that know one tower only must not take it for one.
inline constexpr std::uint32_t towers_model_version = 2;
/// Of a model with target units, of one tower or several: programs that do not know them must not predict its
/// outputs.
inline constexpr std::uint32_t units_model_version = 3;

/// Programs that do not know it pass over it.
inline constexpr const char* column_means_section = "column_means";

template <class Real>
inline constexpr const char* precision_name = "float64";
template <>
inline constexpr const char* precision_name<float> = "float32";

/// "parameters/0" of tower 0, "tower/2/state/1/0" of tower 2. `state` counts from 0; -1: the parameters.
inline std::string tensor_section(std::size_t tower, int state, std::size_t tensor) {
  const std::string set = state < 0 ? "parameters" : fmt::format("state/{}", state);
  return tower == 0 ? fmt::format("{}/{}", set, tensor) : fmt::format("tower/{}/{}/{}", tower, set, tensor);
}

inline bool is_tensor_section(std::string_view name) noexcept {
  return name.find('/') != std::string_view::npos;
}

}  // namespace widehash::detail
