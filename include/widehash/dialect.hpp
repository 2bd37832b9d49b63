#pragma once

/// \file
/// How bytes are divided into rows and fields. This does not involve the schema: io and hashing are separate
/// layers.
///
/// Rows end with LF or CRLF. The last row may lack its line end, or have only a CR. A CR anywhere else is an
/// ordinary byte. A byte order mark at the start of a file is skipped. If a quote is set, a field that begins
/// with it extends to the closing quote; doubled quotes stand for one, and delimiters and line ends inside
/// belong to the value. A quote elsewhere is an ordinary byte. A blank line (nothing before its line end) is
/// not a row, unless rows have a single field: it is then a row whose value is empty. Nothing is decoded: NUL
/// and invalid UTF-8 are allowed. (Files that begin like UTF-16 or other formats are refused before they are
/// divided into rows: byte_source.hpp.)

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

struct Dialect {
  char delimiter = '\t';
  char quote = '\0';  // '\0': quotes are ordinary bytes
  /// Drop spaces around a value, including those outside its quotes, unless the delimiter is a space.
  bool trim = false;
  std::uint64_t max_field_bytes = 1 << 20;

  /// Whether spaces around values are dropped: `trim`, unless the delimiter is a space.
  bool trims() const noexcept { return trim && delimiter != ' '; }
};

/// Returns `value` without the spaces around it.
inline std::string_view trimmed(std::string_view value) noexcept {
  const std::size_t first = value.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(' ') - first + 1);
}

/// Maximum length of a row, including its line end. A file without a line end within this many bytes is
/// refused as not being a table.
inline constexpr std::uint64_t max_row_bytes = std::uint64_t{64} << 20;

}  // namespace widehash
