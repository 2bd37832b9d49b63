#pragma once

/// \file
/// The beginning of a value for a TOML comment or a note.

#include <widehash/internal/quoted_text.hpp>
#include <widehash/internal/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash {

/// A comment cannot hold control bytes or text that is not UTF-8. Whole characters of other alphabets are
/// shown.
inline std::string shown(std::string_view text) {
  constexpr std::size_t shown_bytes = 40;
  return printable(text, shown_bytes) + (text.size() > shown_bytes ? "..." : "");
}

/// The same as a TOML string.
inline std::string shown_quoted(std::string_view text) { return detail::quoted(shown(text)); }

}  // namespace widehash
