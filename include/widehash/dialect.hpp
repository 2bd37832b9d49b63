#pragma once

/// \file
/// How bytes become rows and fields. No schema here: io stands beside hashing.
///
/// Rows end with LF or CRLF; the last one may lack its end, or have its CR only. A CR anywhere else is an
/// ordinary byte. A byte order mark at the start of a file is skipped. With a quote, a field that begins with
/// it runs to the closing quote, doubled quotes stand for one, and delimiters and line ends inside belong to
/// the value; a quote elsewhere is an ordinary byte. A blank line (nothing before its line end) is no row,
/// unless rows have a single field: then it is a row whose value is empty. Bytes are bytes: nothing is
/// decoded, and NUL and invalid UTF-8 are legal. (Files that begin as UTF-16 and other formats do are refused
/// before it comes to rows: byte_source.hpp.)

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

struct Dialect {
  char delimiter = '\t';
  char quote = '\0';  // '\0': quotes are ordinary bytes
  bool trim =
      false;  // spaces around a value are dropped, also those outside its quotes; not where they delimit
  std::uint64_t max_field_bytes = 1 << 20;

  /// Whether values lose their spaces: `trim`, where no spaces delimit.
  bool trims() const noexcept { return trim && delimiter != ' '; }
};

/// `value` without the spaces around it.
inline std::string_view trimmed(std::string_view value) noexcept {
  const std::size_t first = value.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(' ') - first + 1);
}

/// The longest row, its line end included: without one within this many bytes the file is refused as not
/// being a table.
inline constexpr std::uint64_t max_row_bytes = std::uint64_t{64} << 20;

}  // namespace widehash
