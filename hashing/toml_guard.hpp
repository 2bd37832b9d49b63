#pragma once

/// \file
/// Keeps from toml++ what it cannot bear: where it looks for white space outside texts and comments, versions up to 3.4 run
/// into __builtin_unreachable() at many characters outside ASCII (its issues 190 and 295).

#include <cstdint>
#include <string_view>

namespace widehash::detail {

/// The line (from 1) of the first byte outside ASCII that stands neither in a text nor in a comment, or that comes first
/// after a backslash, white space apart; 0 where there is none. TOML allows only the one after a backslash that ends a line.
/// A byte order mark in front is allowed.
std::uint32_t line_of_stray_character(std::string_view toml) noexcept;

}  // namespace widehash::detail
