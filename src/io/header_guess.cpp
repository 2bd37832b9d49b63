#include "header_guess.hpp"

#include <cstddef>
#include <set>
#include <string_view>

namespace widehash::detail {
namespace {

constexpr std::size_t fewest_rows_for_lengths = 8;

/// Whether the column's name is of another kind than the values below it.
bool differs_from_below(const SampleReading& reading, std::size_t column) {
  const std::string& name = reading.rows.front()[column];
  std::size_t values = 0;
  std::size_t numbers = 0;
  std::size_t length = 0;
  bool one_length = true;
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() != reading.num_fields) continue;
    const std::string& value = reading.rows[i][column];
    if (value.empty()) continue;
    if (values == 0) length = value.size();
    one_length = one_length && value.size() == length;
    ++values;
    if (is_number(value)) ++numbers;
  }
  // A few texts such as "NA" or "?" may stand for missing numbers.
  if (numbers > 0 && 10 * numbers >= 9 * values) return true;
  return values >= fewest_rows_for_lengths && one_length && name.size() != length;
}

/// Whether no value below the first row is missing and no two are the same.
bool numbers_rows(const SampleReading& reading, std::size_t column) {
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() != reading.num_fields) continue;
    const std::string& value = reading.rows[i][column];
    if (value.empty() || !seen.insert(value).second) return false;
  }
  return true;
}

/// Whether a column has no values below the first row, like those that spreadsheets write after the last
/// column.
bool is_empty_below(const SampleReading& reading, std::size_t column) {
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() == reading.num_fields && !reading.rows[i][column].empty()) return false;
  }
  return reading.rows.size() > 1;
}

}  // namespace

std::string repeated_name(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!name.empty() && !seen.insert(name).second) return name;
  }
  return "";
}

bool looks_like_header(const SampleReading& reading) {
  const auto& first = reading.rows.front();
  if (first.size() != reading.num_fields) return false;
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (is_number(first[column])) return false;
    if (first[column].empty() && !is_empty_below(reading, column) &&
        (column > 0 || first.size() == 1 || !numbers_rows(reading, 0)))
      return false;
  }
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (differs_from_below(reading, column)) return true;
  }
  return false;
}

}  // namespace widehash::detail
