#pragma once

/// \file
/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), which TOML and
/// JSON need.

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash {

/// Bytes of the character that `text`, which is not empty, begins with; 0 where it begins with none.
std::size_t utf8_character_bytes(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

/// `text` with the replacement character U+FFFD for each byte that begins no character: what JSON can hold of
/// it.
std::string to_utf8(std::string_view text);

/// The beginning of `text` that a message can show: whole characters that take at most `most_bytes`, with a
/// question mark for each byte that begins no character and each control character, which could end a line or
/// play with a terminal.
std::string printable(std::string_view text, std::size_t most_bytes);

}  // namespace widehash
