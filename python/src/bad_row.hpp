#pragma once

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>

#include <cstddef>

namespace widehash::python {

/// Throws DataError for the first row beyond the allowed bad rows. `rows_before` counts the rows of earlier
/// tables.
[[noreturn]] inline void throw_bad_row(std::size_t rows_before, const EncodeIssue& issue) {
  throw DataError("table in memory", rows_before + issue.row + 1,
                  issue.reason + "; fix the row, or leave bad rows out with --max-bad-rows N");
}

}  // namespace widehash::python
