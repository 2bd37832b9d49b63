#pragma once

/// \file
/// The value of a cross of fields. It has, for each part in order, the length as a 32-bit little-endian
/// number, followed by the bytes. The lengths are hashed too, so ("ab","c") and ("a","bc") differ, and the
/// cross of x with itself still depends on x.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Appends one part to `value`.
void append_cross_part(std::string& value, std::string_view part);
/// Returns the cross of `parts`.
std::string cross_value(std::span<const std::string_view> parts);
/// Returns the parts of a cross value. Throws ConfigError if `value` is not one.
std::vector<std::string_view> cross_parts(std::string_view value);
/// The separator between the parts of a cross in text for people.
inline constexpr const char* cross_between = " × ";

/// Returns the parts as reports show them, "a × b". Throws like cross_parts().
std::string cross_text(std::string_view value);
/// The same for values in a table: throw DataError naming `path`, the table's file.
std::vector<std::string_view> cross_parts(std::string_view value, const std::string& path);
std::string cross_text(std::string_view value, const std::string& path);

}  // namespace widehash
