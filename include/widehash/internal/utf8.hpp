#pragma once

/// \file
/// Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), which TOML and
/// JSON require.

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash {

/// Bytes of the character that `text` begins with; 0 if it does not begin with a character. `text` must not
/// be empty.
std::size_t utf8_character_bytes(std::string_view text) noexcept;

bool is_utf8(std::string_view text) noexcept;

/// Returns `text` with the replacement character U+FFFD for each byte that begins no character, so that JSON
/// can hold it.
std::string to_utf8(std::string_view text);

/// Returns the beginning of `text` as a message can show it: whole characters that take at most `most_bytes`,
/// with a question mark for each byte that begins no character and for each control character, which could
/// end a line or disturb a terminal.
std::string printable(std::string_view text, std::size_t most_bytes);

}  // namespace widehash
