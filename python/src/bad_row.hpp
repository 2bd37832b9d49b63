#pragma once

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>

#include <cstddef>

namespace widehash::python {

/// For the row that is one bad row too many, behind `rows_before` of tables before.
[[noreturn]] inline void throw_bad_row(std::size_t rows_before, const EncodeIssue& issue) {
  throw DataError("table in memory", rows_before + issue.row + 1,
                  issue.reason + "; fix the row, or leave bad rows out with --max-bad-rows N");
}

}  // namespace widehash::python
