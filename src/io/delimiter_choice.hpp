#pragma once

/// \file
/// Chooses which of the usual delimiters a table has.

#include "sample_reading.hpp"

#include <string_view>

namespace widehash::detail {

struct DelimiterChoice {
  SampleReading reading;
  /// For a reading with one field per row: a delimiter that the rows agree on but the first line lacks, or
  /// that the first line and most rows have, but in numbers that do not agree; '\0' for none.
  char doubted = '\0';
};

/// Returns the reading that has the most in its favour. Requires: hints.delimiter is not given. The criteria,
/// in this order: the first line has hints.known_field; the first line and 98 % of the rows have the same
/// number of fields, at least two; the first line has the number of fields that most rows have; the delimiter
/// is not a space, which occurs in every text; among readings whose rows do not agree, more rows that do;
/// fewer values that look like pieces of several fields; fewer values that hold another delimiter; more
/// fields; tab, '|', ';', ','. A delimiter that the first line lacks, or that no more than half of the rows
/// agree on, is text that happens to hold it: the table then has one field per row.
DelimiterChoice choose_delimiter(std::string_view text, bool is_whole, const DialectHints& hints);

}  // namespace widehash::detail
