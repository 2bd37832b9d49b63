#pragma once

/// \file
/// The value of a cross of fields: for each part in order, its length as a 32-bit little-endian number, then
/// its bytes. Lengths are inside what is hashed, so ("ab","c") and ("a","bc") differ, and x crossed with x is
/// not nothing.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Appends one part to `value`.
void append_cross_part(std::string& value, std::string_view part);
/// The cross of `parts`.
std::string cross_value(std::span<const std::string_view> parts);
/// The parts of a cross value. Throws ConfigError where `value` is not one.
std::vector<std::string_view> cross_parts(std::string_view value);
/// Stands between the parts of a cross where people read them.
inline constexpr const char* cross_between = " × ";

/// The parts as reports show them, "a × b". Throws as cross_parts().
std::string cross_text(std::string_view value);

}  // namespace widehash
