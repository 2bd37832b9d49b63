#pragma once

/// \file
/// The beginning of a value for a comment of TOML or a note.

#include <widehash/internal/utf8.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace widehash {

/// A comment takes neither control bytes nor anything that is not UTF-8; what a value holds of other alphabets is
/// shown where it is whole.
inline std::string shown(std::string_view text) {
  constexpr std::size_t shown_bytes = 40;
  return printable(text, shown_bytes) + (text.size() > shown_bytes ? "..." : "");
}

}  // namespace widehash
