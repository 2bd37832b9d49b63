#pragma once

/// \file
/// The fastest way through well-formed bare rows: the places of all separators are written first, and only
/// then is it checked that the rows are whole. It takes the rows that row_scan.hpp takes, except those that
/// PlacedRows cannot describe.

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

/// Room for places that scan_places() needs beyond those of max_rows rows: the separators of one more step,
/// and the places that readers of PlacedRows may look at.
inline constexpr std::size_t places_slack = 96;

enum class LineEnd { lf, cr_lf };

/// Returns the kind of the first line end of the text; LF if it has none.
LineEnd first_line_end(const char* begin, const char* end) noexcept;

/// Number of places that a row of `num_fields` values has.
constexpr std::size_t place_stride(std::size_t num_fields, LineEnd line_end) noexcept {
  return num_fields + (line_end == LineEnd::cr_lf ? 1 : 0);
}

/// Whether a row whose last separator stands at `end` ends in `line_end`.
template <LineEnd line_end>
bool ends_row(const char* text, std::uint32_t end) noexcept {
  if (text[end] != '\n') return false;
  const bool has_carriage_return = end > 0 && text[end - 1] == '\r';
  return has_carriage_return == (line_end == LineEnd::cr_lf);
}

/// Writes where the values of the rows from `begin` on end, counted from `begin` (placed_rows.hpp), as long
/// as each row has `num_fields` values and ends in `line_end` more than eight bytes before `end`; at most
/// `max_rows` rows. Rows that end in CR LF have no other CR. Returns the number of these rows; what is stored
/// after their places is unspecified. Requires end - begin < 2^32.
/// Cost: one pass, about 10 bytes a cycle with AVX-512, 2.4 with AVX2.
std::size_t scan_places(const char* begin, const char* end, char delimiter, LineEnd line_end,
                        std::size_t num_fields, std::size_t max_rows, std::uint32_t* ends) noexcept;

}  // namespace widehash::detail
