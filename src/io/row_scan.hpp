#pragma once

/// \file
/// The fast way through well-formed rows: 64 bytes at a time, until something is not well-formed.
/// row_split.hpp, the plain reading, defines what a row may be; this one cuts exactly the same values out of
/// the rows it takes and leaves all others to the plain reading.

#include <widehash/dialect.hpp>

#include <cstddef>
#include <string_view>

namespace widehash::detail {

/// Room that scan_rows() needs in `fields` beyond max_rows * num_fields: the values of one more step.
inline constexpr std::size_t scan_slack = 80;

struct RowScan {
  std::size_t num_rows = 0;
  const char* next = nullptr;  // the row that follows those taken
};

/// Takes rows from `begin` on as long as each has `num_fields` values and ends in a line end at least 64
/// bytes before `end`; at most `max_rows` rows. A blank row of one value is taken as one empty value.
/// fields[row * num_fields + field] are views into the text, without quotes; rows with doubled quotes are
/// never taken. In quoted dialects, a row is taken only if each quote opens or closes a value and no value
/// holds a line end. Nothing is trimmed; a quoted dialect must not ask for it. Cost: one pass, about 4 bytes
/// a cycle with AVX-512.
RowScan scan_rows(const char* begin, const char* end, const Dialect& dialect, std::size_t num_fields,
                  std::size_t max_rows, std::string_view* fields) noexcept;

}  // namespace widehash::detail
