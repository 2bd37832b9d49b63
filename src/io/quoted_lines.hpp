#pragma once

/// \file
/// Counting the line ends and the rows of a quoted dialect, where it need not be known where each of them is.

#include <cstddef>
#include <cstdint>

namespace widehash::detail {

/// What the byte before the one at hand has left open.
enum class QuotePlace { field_start, bare, quoted, quote_in_quoted };

struct QuotedLines {
  std::size_t num_steps = 0;           // that were taken
  std::uint64_t lines = 0;             // LFs
  std::uint64_t row_ends = 0;          // those outside quotes
  std::uint64_t blank = 0;             // those with nothing but perhaps a CR since the one before
  const char* last_row_end = nullptr;  // behind the last of them; null where there is none
  const char* last_opening = nullptr;  // the last quote that opened a value
};

/// Takes steps of 64 bytes from `text` on, `num_steps` at most, while each quote opens a value, closes one or
/// is doubled inside one; the step that has another, and what follows it, is left. `place` is that of the
/// first byte, and then of the first one that is left. Requires that the two bytes before `text` can be read
/// and are those of the input. Cost: one pass, about 5 bytes a cycle with AVX-512.
QuotedLines count_quoted_lines(const char* text, std::size_t num_steps, char delimiter, char quote,
                               QuotePlace& place) noexcept;

}  // namespace widehash::detail
