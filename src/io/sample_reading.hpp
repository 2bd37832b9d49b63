#pragma once

/// \file
/// The beginning of a table read in one way, and what speaks for that way and against it.

#include <widehash/dialect.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// What tables commonly have between their fields, the likelier first where nothing else decides.
inline constexpr char usual_delimiters[] = {'\t', '|', ';', ',', ' '};

struct SampleReading {
  static constexpr double consistent_enough = 0.98;

  Dialect dialect;
  std::vector<std::vector<std::string>> rows;
  std::size_t num_fields = 0;  // the commonest number
  double consistency = 0;      // share of rows that have it and no fault
  std::size_t num_quoted = 0;  // values in quotes
  double odd_share = 0;        // share of values that look like pieces of several fields, see is_odd_value()
  double held_share = 0;       // share of values that hold another delimiter, see holds_delimiter()

  bool splits() const noexcept { return num_fields > 1 && consistency >= consistent_enough; }
  bool first_row_agrees() const noexcept { return !rows.empty() && rows.front().size() == num_fields; }
  bool first_row_has(std::string_view field) const noexcept;
};

/// Whether a program would write `text` for a number. An exponent too large is one, infinity and NaN are
/// none.
bool is_number(std::string_view text);

/// Whether `value`, which stood in no quotes, looks like pieces of several fields: it holds a tab or a quote,
/// or another of the usual delimiters between numbers on one side and text on the other ("4.5,1" and "A|B"
/// are of one kind and may be a decimal number and a list; "1,A" is not).
bool is_odd_value(std::string_view value, char delimiter);

/// Whether `value`, which stood in no quotes, holds another of the usual delimiters, a space apart. A number
/// with a decimal comma holds none.
bool holds_delimiter(std::string_view value, char delimiter);

/// Reads the first rows of `text`. A last row inside an open quote is left out unless the text `is_whole`.
SampleReading read_as(const Dialect& dialect, std::string_view text, bool is_whole);

/// The best reading with one delimiter: quotes and trimming as `hints` say, or as the values show.
SampleReading read_with(char delimiter, std::string_view text, bool is_whole, const DialectHints& hints);

}  // namespace widehash::detail
