#pragma once

/// \file
/// Which of the usual delimiters a table has.

#include "sample_reading.hpp"

#include <string_view>

namespace widehash::detail {

struct DelimiterChoice {
  SampleReading reading;
  /// Of a reading of one field a row: a delimiter that the rows agree on and the first line lacks, or that
  /// the first line and most rows have, in numbers that do not agree; '\0' for none.
  char doubted = '\0';
};

/// The reading that has most in its favour. Requires: hints.delimiter is not given. In this order: the first
/// line has hints.known_field; first line and 98 % of the rows have one number of fields, two at least; the
/// first line has the number that most rows have; it is no space, which stands in every text; of those that
/// do not agree, more rows that do; fewer values that look like pieces of several fields; fewer that hold
/// another delimiter; more fields; tab, '|', ';', ','. A delimiter that the first line lacks, or that less
/// than half of the rows agree on, is text that happens to hold it: one field a row, then.
DelimiterChoice choose_delimiter(std::string_view text, bool is_whole, const DialectHints& hints);

}  // namespace widehash::detail
