#pragma once

#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace widehash::detail {

inline constexpr const char* model_kind = "model";
/// Of the sections and the metadata inside the section file, which has a version of its own.
inline constexpr std::uint32_t model_version = 1;
/// Sections beside tensors: schema, training, head_columns.
inline constexpr std::size_t num_text_sections = 3;

template <class Real>
inline constexpr const char* precision_name = "float64";
template <>
inline constexpr const char* precision_name<float> = "float32";

}  // namespace widehash::detail
