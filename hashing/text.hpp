#pragma once

/// \file
/// Texts of the schema as they are written down: quoted the same way in canonical text, in TOML and in
/// messages.

#include <string>
#include <string_view>

namespace widehash::detail {

/// `text` between double quotes, with '"', '\' and control characters escaped (\u00XX), other bytes as they
/// are. A basic string of TOML and of JSON; different texts give different results.
std::string quoted(std::string_view text);

/// The same for one byte; '\0' may stand for none, then the result is `""`.
std::string quoted_byte(char byte, bool zero_is_none);

}  // namespace widehash::detail
