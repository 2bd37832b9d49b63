#include "sample_reading.hpp"

#include "row_split.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace widehash::detail {
namespace {

constexpr std::size_t max_rows_looked_at = 2000;

/// Whether values tend to begin with a space. Reads without quotes, since a quote after a space is not at the
/// start of a field.
bool begins_with_spaces(char delimiter, std::string_view text) {
  if (delimiter == ' ') return false;
  const SampleReading reading = read_as({.delimiter = delimiter}, text, true);
  std::size_t values = 0;
  std::size_t spaced = 0;
  for (const auto& row : reading.rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i].empty()) continue;
      ++values;
      if (row[i].front() == ' ') ++spaced;
    }
  }
  return 2 * spaced > values;
}

/// Whether the pieces of `value` between `delimiter` include both numbers and texts.
bool mixes_kinds(std::string_view value, char delimiter) {
  bool numbers = false;
  bool texts = false;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(delimiter, begin), value.size());
    const std::string_view piece = value.substr(begin, end - begin);
    begin = end + 1;
    if (piece.empty()) continue;
    (is_number(piece) ? numbers : texts) = true;
  }
  return numbers && texts;
}

struct SampleRow {
  std::vector<std::string> values;
  bool is_blank = false;
  bool has_fault = false;
  std::size_t num_quoted = 0;
  std::size_t num_odd = 0;   // of values not in quotes; see is_odd_value()
  std::size_t num_held = 0;  // likewise, see holds_delimiter()

  void add_bare(std::string_view value, char delimiter) {
    if (is_odd_value(value, delimiter)) ++num_odd;
    if (holds_delimiter(value, delimiter)) ++num_held;
    values.emplace_back(value);
  }
};

/// Reads the row at `at` and moves `at` past it.
SampleRow read_row(const Dialect& dialect, const char*& at, const char* end) {
  SampleRow row;
  SplitRow split;
  if (dialect.quote == '\0') {
    split = split_bare_row(at, end, dialect.delimiter, [&](const char* from, const char* to) {
      const std::string_view value(from, static_cast<std::size_t>(to - from));
      row.add_bare(dialect.trims() ? trimmed(value) : value, dialect.delimiter);
    });
  } else {
    split = split_quoted_row(at, end, dialect, [&](const char* from, const char* to, bool doubled) {
      const std::string_view value(from, static_cast<std::size_t>(to - from));
      // A field that ends in a fault has no position.
      const bool is_bare = from == nullptr || from == at || from[-1] != dialect.quote;
      if (is_bare) return row.add_bare(value, dialect.delimiter);
      ++row.num_quoted;
      row.values.push_back(doubled ? undouble(value, dialect.quote) : std::string(value));
    });
  }
  row.is_blank = split.text_end == at;
  row.has_fault = split.fault != nullptr;
  at = split.next;
  return row;
}

}  // namespace

bool SampleReading::first_row_has(std::string_view field) const noexcept {
  return !rows.empty() && std::find(rows.front().begin(), rows.front().end(), field) != rows.front().end();
}

bool is_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_of("0123456789") == std::string_view::npos) return false;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && code != std::errc::invalid_argument;
}

bool is_odd_value(std::string_view value, char delimiter) {
  if (value.find_first_of("\t\"") != std::string_view::npos) return true;
  return std::any_of(std::begin(usual_delimiters), std::end(usual_delimiters), [&](char other) {
    // Spaces separate words, and numbers among them, whatever the delimiter is.
    return other != delimiter && other != ' ' && value.find(other) != std::string_view::npos &&
           mixes_kinds(value, other);
  });
}

bool holds_delimiter(std::string_view value, char delimiter) {
  std::size_t commas = 0;
  for (const char other : usual_delimiters) {
    if (other == delimiter || other == ' ') continue;
    const auto count = static_cast<std::size_t>(std::count(value.begin(), value.end(), other));
    if (count > 0 && other != ',') return true;
    commas += count;
  }
  if (commas != 1) return commas > 0;
  std::string point(value);
  point[point.find(',')] = '.';
  return !is_number(point);
}

SampleReading read_as(const Dialect& dialect, std::string_view text, bool is_whole) {
  SampleReading reading;
  reading.dialect = dialect;
  std::map<std::size_t, std::size_t> rows_with;  // number of fields -> sound rows
  std::size_t values = 0;
  std::size_t odd = 0;
  std::size_t held = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && reading.rows.size() < max_rows_looked_at) {
    SampleRow row = read_row(dialect, at, end);
    // A sample may end inside a quoted value that spans lines; such a row is no evidence.
    const bool is_cut = at == end && row.has_fault && !is_whole;
    if (row.is_blank || is_cut) continue;
    if (!row.has_fault) ++rows_with[row.values.size()];
    reading.num_quoted += row.num_quoted;
    values += row.values.size();
    odd += row.num_odd;
    held += row.num_held;
    reading.rows.push_back(std::move(row.values));
  }
  for (const auto& [num_fields, count] : rows_with) {
    const double share = static_cast<double>(count) / static_cast<double>(reading.rows.size());
    if (share > reading.consistency) {
      reading.consistency = share;
      reading.num_fields = num_fields;
    }
  }
  if (reading.num_fields == 0 && !reading.rows.empty()) reading.num_fields = reading.rows.front().size();
  if (values > 0) {
    reading.odd_share = static_cast<double>(odd) / static_cast<double>(values);
    reading.held_share = static_cast<double>(held) / static_cast<double>(values);
  }
  return reading;
}

SampleReading read_with(char delimiter, std::string_view text, bool is_whole, const DialectHints& hints) {
  Dialect dialect;
  dialect.delimiter = delimiter;
  dialect.trim = hints.trim ? *hints.trim : begins_with_spaces(delimiter, text);
  if (hints.quote) {
    dialect.quote = *hints.quote;
    return read_as(dialect, text, is_whole);
  }
  SampleReading bare = read_as(dialect, text, is_whole);
  if (delimiter == '"') return bare;
  dialect.quote = '"';
  SampleReading quoted = read_as(dialect, text, is_whole);
  const bool needs_evidence = delimiter == '\t' || delimiter == ' ';
  const bool use_quotes =
      quoted.consistency >= bare.consistency && (!needs_evidence || quoted.num_quoted > 0);
  return use_quotes ? std::move(quoted) : std::move(bare);
}

}  // namespace widehash::detail
