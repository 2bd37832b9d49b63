#include "row_split.hpp"

#include <widehash/dialect_guess.hpp>
#include <widehash/row_parser.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

namespace widehash {
namespace {

using Row = std::vector<std::string>;

constexpr double consistent_enough = 0.98;
constexpr std::size_t max_rows_looked_at = 2000;
constexpr std::size_t fewest_rows_for_lengths = 8;
constexpr char usual_delimiters[] = {'\t', '|', ';', ',', ' '};

/// The sample read in one way.
struct Reading {
  Dialect dialect;
  std::vector<Row> rows;
  std::size_t num_fields = 0;  // the commonest number
  double consistency = 0;      // share of rows that have it and no fault
  std::size_t num_quoted = 0;  // values in quotes

  bool splits() const noexcept { return num_fields > 1 && consistency >= consistent_enough; }
};

std::string_view whole_rows(std::string_view sample, bool is_whole) {
  if (sample.starts_with("\xEF\xBB\xBF")) sample.remove_prefix(3);
  if (is_whole) return sample;
  const std::size_t last_end = sample.rfind('\n');
  return last_end == std::string_view::npos ? sample : sample.substr(0, last_end + 1);
}

Reading read_as(const Dialect& dialect, std::string_view text, bool is_whole) {
  Reading reading;
  reading.dialect = dialect;
  std::map<std::size_t, std::size_t> rows_with;  // number of fields -> sound rows
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end && reading.rows.size() < max_rows_looked_at) {
    Row row;
    const auto add = [&](const char* from, const char* to) { row.emplace_back(from, to); };
    detail::SplitRow split;
    std::size_t quoted = 0;
    if (dialect.quote == '\0') {
      split = detail::split_bare_row(at, end, dialect.delimiter, add);
    } else {
      split = detail::split_quoted_row(at, end, dialect, [&](const char* from, const char* to, bool doubled) {
        add(from, to);
        if (doubled) row.back() = detail::undouble(row.back(), dialect.quote);
        // A field that ends in a fault has no place.
        if (from != nullptr && from != at && from[-1] == dialect.quote) ++quoted;
      });
    }
    const bool blank = split.text_end == at;
    // A sample may end inside a quoted value that spans lines; such a row says nothing.
    const bool cut = split.next == end && split.fault != nullptr && !is_whole;
    at = split.next;
    if (blank || cut) continue;
    if (split.fault == nullptr) ++rows_with[row.size()];
    reading.num_quoted += quoted;
    reading.rows.push_back(std::move(row));
  }
  for (const auto& [num_fields, count] : rows_with) {
    const double share = static_cast<double>(count) / static_cast<double>(reading.rows.size());
    if (share > reading.consistency) {
      reading.consistency = share;
      reading.num_fields = num_fields;
    }
  }
  if (reading.num_fields == 0 && !reading.rows.empty()) reading.num_fields = reading.rows.front().size();
  return reading;
}

/// Whether values tend to begin with a space. Read without quotes: a quote after a space is not at a field's
/// start.
bool begins_with_spaces(char delimiter, std::string_view text) {
  if (delimiter == ' ') return false;
  const Reading reading = read_as({.delimiter = delimiter}, text, true);
  std::size_t values = 0;
  std::size_t spaced = 0;
  for (const Row& row : reading.rows) {
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (row[i].empty()) continue;
      ++values;
      if (row[i].front() == ' ') ++spaced;
    }
  }
  return 2 * spaced > values;
}

/// The best reading with one delimiter.
Reading read_with(char delimiter, std::string_view text, bool is_whole, const DialectHints& hints) {
  Dialect dialect;
  dialect.delimiter = delimiter;
  dialect.trim = hints.trim ? *hints.trim : begins_with_spaces(delimiter, text);
  if (hints.quote) {
    dialect.quote = *hints.quote;
    return read_as(dialect, text, is_whole);
  }
  Reading bare = read_as(dialect, text, is_whole);
  dialect.quote = '"';
  Reading quoted = read_as(dialect, text, is_whole);
  const bool needs_evidence = delimiter == '\t' || delimiter == ' ';
  const bool use_quotes =
      quoted.consistency >= bare.consistency && (!needs_evidence || quoted.num_quoted > 0);
  return use_quotes ? std::move(quoted) : std::move(bare);
}

Reading choose_reading(std::string_view text, bool is_whole, const DialectHints& hints) {
  if (hints.delimiter) return read_with(*hints.delimiter, text, is_whole, hints);
  Reading best = read_with('\t', text, is_whole, hints);
  for (const char delimiter : usual_delimiters) {
    if (best.splits()) break;
    Reading reading = read_with(delimiter, text, is_whole, hints);
    const bool nearer =
        reading.num_fields > 1 && (best.num_fields <= 1 || reading.consistency > best.consistency);
    // Where rows disagree about a delimiter, text that merely contains it is likelier than a table.
    if (reading.splits() || (nearer && reading.consistency > 0.5)) best = std::move(reading);
  }
  return best;
}

bool is_number(std::string_view text) {
  text = detail::trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_of("0123456789") == std::string_view::npos) return false;
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && code != std::errc::invalid_argument;
}

/// Whether `name` is of another kind than the values below it.
bool differs_from_below(const Reading& reading, std::size_t column) {
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

/// Whether the values below the first row are all there and no two the same.
bool numbers_rows(const Reading& reading, std::size_t column) {
  std::set<std::string_view> seen;
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() != reading.num_fields) continue;
    const std::string& value = reading.rows[i][column];
    if (value.empty() || !seen.insert(value).second) return false;
  }
  return true;
}

/// A name that comes twice; empty where none does.
std::string repeated_name(const Row& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!name.empty() && !seen.insert(name).second) return name;
  }
  return "";
}

/// Whether the first row holds names of fields, though perhaps one of them twice.
bool looks_like_header(const Reading& reading) {
  const Row& first = reading.rows.front();
  if (first.size() != reading.num_fields) return false;
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (is_number(first[column])) return false;
    if (first[column].empty() && (column > 0 || first.size() == 1 || !numbers_rows(reading, 0))) return false;
  }
  for (std::size_t column = 0; column < first.size(); ++column) {
    if (differs_from_below(reading, column)) return true;
  }
  return false;
}

}  // namespace

DialectGuess guess_dialect(std::string_view sample, bool is_whole, const DialectHints& hints) {
  const Reading reading = choose_reading(whole_rows(sample, is_whole), is_whole, hints);
  DialectGuess guess;
  guess.dialect = reading.dialect;
  if (reading.rows.empty()) {
    guess.has_header = hints.header.value_or(false);
    return guess;
  }
  guess.consistency = reading.consistency;
  const bool may_be_header = hints.header ? *hints.header : looks_like_header(reading);
  if (may_be_header) guess.repeated_name = repeated_name(reading.rows.front());
  guess.has_header = hints.header ? *hints.header : may_be_header && guess.repeated_name.empty();
  if (guess.has_header) {
    guess.fields = reading.rows.front();
  } else {
    for (std::size_t i = 0; i < reading.num_fields; ++i) guess.fields.push_back(fmt::format("f{}", i));
  }
  return guess;
}

std::string read_sample(ByteSource& source) {
  std::string sample(sample_bytes, '\0');
  sample.resize(source.read(sample));
  return sample;
}

}  // namespace widehash
