#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace widehash::detail {

inline constexpr const char* model_kind = "model";
/// Version of the sections and metadata within the section file, which has a version of its own.
inline constexpr std::uint32_t model_version = 1;
/// Version of a model with several towers: programs that know only one tower must not take it for a model
/// with one.
inline constexpr std::uint32_t towers_model_version = 2;
/// Version of a model with target units, with one tower or several: programs that do not know target units
/// must not predict with its outputs.
inline constexpr std::uint32_t units_model_version = 3;

/// Programs that do not know this section ignore it.
inline constexpr const char* column_means_section = "column_means";

template <class Real>
inline constexpr const char* precision_name = "float64";
template <>
inline constexpr const char* precision_name<float> = "float32";

/// Returns, for example, "parameters/0" for tower 0, "tower/2/state/1/0" for tower 2. `state` counts from 0;
/// -1 means the parameters.
inline std::string tensor_section(std::size_t tower, int state, std::size_t tensor) {
  const std::string set = state < 0 ? "parameters" : fmt::format("state/{}", state);
  return tower == 0 ? fmt::format("{}/{}", set, tensor) : fmt::format("tower/{}/{}/{}", tower, set, tensor);
}

inline bool is_tensor_section(std::string_view name) noexcept {
  return name.find('/') != std::string_view::npos;
}

}  // namespace widehash::detail
