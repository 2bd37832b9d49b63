#include "header_guess.hpp"

#include <widehash/internal/missing_markers.hpp>
#include <widehash/internal/parse_all.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

namespace widehash::detail {
namespace {

// In fewer rows, chance decides whether values have one length, or a number was left out of the first row.
constexpr std::size_t fewest_values = 8;
// A row of data has only new values in all columns this rarely before it is taken for names.
constexpr double rare_row = 1e-3;

/// What a column holds below the first row.
struct Below {
  std::size_t values = 0;  // that are not empty
  std::size_t numbers = 0;
  std::size_t distinct = 0;
  std::size_t single = 0;             // values that occur once
  std::optional<std::size_t> length;  // if all values have the same
  bool has_name = false;              // the text of the first row is among them

  // A few texts such as "NA" or "?" may stand for missing numbers.
  bool are_numbers() const noexcept { return numbers > 0 && 10 * numbers >= 9 * values; }
  /// The probability that another row of the column has a value that none has so far (Good and Turing's estimate).
  double share_of_new() const noexcept {
    return values == 0 ? 1
                       : static_cast<double>(std::max<std::size_t>(single, 1)) / static_cast<double>(values);
  }
};

Below look_below(const SampleReading& reading, std::size_t column) {
  Below below;
  bool one_length = true;
  std::size_t length = 0;
  std::unordered_map<std::string_view, std::size_t> counts;
  for (std::size_t i = 1; i < reading.rows.size(); ++i) {
    if (reading.rows[i].size() != reading.num_fields) continue;
    const std::string& value = reading.rows[i][column];
    if (value.empty()) continue;
    if (below.values == 0) length = value.size();
    one_length = one_length && value.size() == length;
    ++below.values;
    if (is_number(value)) ++below.numbers;
    ++counts[value];
  }
  if (below.values > 0 && one_length) below.length = length;
  below.distinct = counts.size();
  below.single = static_cast<std::size_t>(
      std::ranges::count_if(counts, [](const auto& one) { return one.second == 1; }));
  below.has_name = counts.contains(reading.rows.front()[column]);
  return below;
}

/// The first row of a table and what is below it.
class FirstRow {
 public:
  explicit FirstRow(const SampleReading& reading) : texts_(reading.rows.front()) {
    for (std::size_t column = 0; column < texts_.size(); ++column)
      below_.push_back(look_below(reading, column));
    for (const auto& row : reading.rows) num_rows_ += row.size() == reading.num_fields ? 1 : 0;
  }

  /// Whether one of the texts plainly names a column of numbers: it is no number, and no text for a missing one.
  bool names_numbers() const {
    for (std::size_t column = 0; column < texts_.size(); ++column) {
      const std::string& text = texts_[column];
      if (!text.empty() && !is_number(text) && !is_missing_marker(text) && below_[column].are_numbers() &&
          below_[column].values >= fewest_values && !below_[column].has_name)
        return true;
    }
    return false;
  }

  /// Whether the numbers among the texts may be names: years, or the numbers that pandas gives to columns.
  bool has_ascending_numbers() const {
    std::optional<std::int64_t> last;
    for (const std::string& text : texts_) {
      if (!is_number(text)) continue;
      const auto number = parse_all<std::int64_t>(text);
      if (!number || (last && *number <= *last)) return false;
      last = number;
    }
    return true;
  }

  bool has_numbers() const {
    return std::ranges::any_of(texts_, [](const std::string& text) { return is_number(text); });
  }

  /// Whether texts are empty only where names may be: over a column without values, as spreadsheets write them, and
  /// over a first column of row numbers, as pandas writes them.
  bool has_names_where_needed() const {
    for (std::size_t column = 0; column < texts_.size(); ++column) {
      if (!texts_[column].empty() || (below_[column].values == 0 && num_rows_ > 1)) continue;
      const bool numbers_rows = below_[column].distinct + 1 == num_rows_;
      if (column > 0 || texts_.size() == 1 || !numbers_rows) return false;
    }
    return true;
  }

  /// Whether a text is of another kind than the values below it.
  bool differs_from_below() const {
    for (std::size_t column = 0; column < texts_.size(); ++column) {
      const Below& below = below_[column];
      if (below.are_numbers()) return true;
      if (below.values >= fewest_values && below.length && *below.length != texts_[column].size())
        return true;
    }
    return false;
  }

  /// Whether every column has a text, and none occurs a second time in its column.
  bool is_new_everywhere() const {
    for (std::size_t column = 0; column < texts_.size(); ++column) {
      if (texts_[column].empty() || below_[column].values == 0 || below_[column].has_name) return false;
    }
    return true;
  }

  /// How rarely a row of this table is new everywhere.
  double share_of_new_rows() const {
    double share = 1;
    for (const Below& below : below_) share *= below.share_of_new();
    return share;
  }

 private:
  const std::vector<std::string>& texts_;
  std::vector<Below> below_;
  std::size_t num_rows_ = 0;  // with as many fields as most have
};

}  // namespace

std::string repeated_name(const std::vector<std::string>& names) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!name.empty() && !seen.insert(name).second) return name;
  }
  return "";
}

HeaderGuess guess_header(const SampleReading& reading) {
  if (!reading.first_row_agrees()) return HeaderGuess::no;
  const FirstRow first(reading);
  if (first.names_numbers() && first.has_ascending_numbers()) return HeaderGuess::yes;
  if (first.has_numbers()) return HeaderGuess::no;
  if (first.has_names_where_needed() && first.differs_from_below()) return HeaderGuess::yes;
  if (!first.is_new_everywhere()) return HeaderGuess::no;
  return first.share_of_new_rows() < rare_row ? HeaderGuess::yes : HeaderGuess::unsure;
}

}  // namespace widehash::detail
