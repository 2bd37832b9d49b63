#pragma once

/// \file
/// How the texts of a schema are written: quoted in the same way in canonical text, in TOML and in messages.

#include <string>
#include <string_view>

namespace widehash::detail {

/// Returns `text` in double quotes, with '"', '\' and control characters escaped (\u00XX) and other bytes
/// unchanged. The result is a basic string of both TOML and JSON, and different texts give different results.
std::string quoted(std::string_view text);

/// The same for one byte. If `zero_is_none`, '\0' stands for no byte and gives `""`.
std::string quoted_byte(char byte, bool zero_is_none);

/// Returns what quoted() does of at most the first 100 bytes, and `...` for the rest: for a text of any length in a
/// message.
std::string quoted_start(std::string_view text);

}  // namespace widehash::detail
