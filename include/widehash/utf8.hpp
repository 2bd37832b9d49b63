#pragma once

/// \file
/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), which TOML and JSON need.

#include <cstddef>
#include <string_view>

namespace widehash {

/// Bytes of the character that `text`, which is not empty, begins with; 0 where it begins with none.
std::size_t utf8_character_bytes(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

}  // namespace widehash
