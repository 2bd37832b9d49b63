#pragma once

/// \file
/// The beginning of a table read in one way, and the evidence for and against that way.

#include <widehash/dialect.hpp>
#include <widehash/internal/dialect_guess.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace widehash::detail {

/// The delimiters that tables commonly have, the likelier first: the order decides if nothing else does.
inline constexpr char usual_delimiters[] = {'\t', '|', ';', ',', ' '};

struct SampleReading {
  static constexpr double consistent_enough = 0.98;

  Dialect dialect;
  std::vector<std::vector<std::string>> rows;
  std::size_t num_fields = 0;  // the most common number
  double consistency = 0;      // share of rows that have it and no fault
  std::size_t num_quoted = 0;  // values in quotes
  double odd_share = 0;        // share of values that look like pieces of several fields, see is_odd_value()
  double held_share = 0;       // share of values that hold another delimiter, see holds_delimiter()

  bool splits() const noexcept { return num_fields > 1 && consistency >= consistent_enough; }
  bool first_row_agrees() const noexcept { return !rows.empty() && rows.front().size() == num_fields; }
  bool first_row_has(std::string_view field) const noexcept;
};

/// Whether `text` is what a program would write for a number. A number whose exponent is too large counts;
/// infinity and NaN do not.
bool is_number(std::string_view text);

/// Whether `value`, which was not in quotes, looks like pieces of several fields: it holds a tab or a quote,
/// or another of the usual delimiters between numbers on one side and text on the other. ("4.5,1" and "A|B"
/// are of one kind and may be a decimal number and a list; "1,A" is not.)
bool is_odd_value(std::string_view value, char delimiter);

/// Whether `value`, which was not in quotes, holds another of the usual delimiters, except a space. A number
/// with a decimal comma holds none.
bool holds_delimiter(std::string_view value, char delimiter);

/// Reads the first rows of `text`. Leaves out a last row that ends inside an open quote unless the text
/// `is_whole`.
SampleReading read_as(const Dialect& dialect, std::string_view text, bool is_whole);

/// Returns the best reading with one delimiter. Quotes and trimming are as `hints` say, or else as the values
/// show.
SampleReading read_with(char delimiter, std::string_view text, bool is_whole, const DialectHints& hints);

}  // namespace widehash::detail
