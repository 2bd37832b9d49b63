#pragma once

/// \file
/// A random table with every kind of feature, as text and in memory, whole or cut into batches.

#include <widehash/column_table.hpp>
#include <widehash/value_column.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace widehash::test {

inline constexpr const char* memory_table_schema = R"(
label = "y"
weight = "w"
[[feature]]
field = "a"
cardinality = 100000
[[feature]]
name = "a x b"
cross = ["a", "b"]
cardinality = 1000
[[feature]]
field = "b"
encoding = "one_hot"
buckets = 5
missing = "skip"
[[feature]]
field = "many"
cardinality = 50
separator = "|"
[[feature]]
field = "n"
encoding = "numeric"
)";

class MemoryTable {
 public:
  /// Rows in `bad_rows` have a number that cannot be parsed.
  explicit MemoryTable(std::size_t num_rows, const std::vector<std::size_t>& bad_rows = {}) {
    std::mt19937_64 random(7);
    for (std::size_t row = 0; row < num_rows; ++row) {
      const std::uint64_t value = random() % 5000;
      const bool is_bad = std::ranges::find(bad_rows, row) != bad_rows.end();
      texts_[0].push_back(is_bad ? "x" : fmt::format("{}", static_cast<double>(value) / 8));
      texts_[1].push_back(fmt::format("{}|{}", value % 3, value % 11));
      texts_[2].push_back("unused");
      texts_[3].push_back(value % 7 == 0 ? "" : fmt::format("b{}", value % 7));
      texts_[4].push_back(value % 2 == 0 ? "0" : "1");
      texts_[5].push_back(fmt::format("{}", 1 + value % 3));
      texts_[6].push_back(fmt::format("value {} of a", value));
    }
    for (std::size_t column = 0; column < num_columns; ++column)
      views_[column].assign(texts_[column].begin(), texts_[column].end());
  }

  std::size_t num_rows() const noexcept { return texts_[0].size(); }

  /// A view of rows [begin, begin + count) of this table.
  ColumnTable rows(std::size_t begin, std::size_t count) const {
    ColumnTable table;
    for (std::size_t column = 0; column < num_columns; ++column)
      table.add(names[column], text_column(std::span(views_[column]).subspan(begin, count)));
    return table;
  }
  ColumnTable whole() const { return rows(0, num_rows()); }
  /// All rows, with the column `name` replaced by `other`.
  ColumnTable with_column(const std::string& name, const ValueColumnPointer& other) const {
    ColumnTable table;
    for (std::size_t column = 0; column < num_columns; ++column)
      table.add(names[column], names[column] == name ? other : text_column(std::span(views_[column])));
    return table;
  }
  /// All rows in order, in batches of at most `most` rows; some batches are empty.
  std::vector<ColumnTable> batches(std::size_t most, std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::vector<ColumnTable> cut;
    for (std::size_t row = 0; row < num_rows();) {
      const std::size_t count = std::min<std::size_t>(random() % (most + 1), num_rows() - row);
      cut.push_back(rows(row, count));
      row += count;
    }
    return cut;
  }

  static std::vector<std::string> column_names() { return {names, names + num_columns}; }
  /// All values, row after row.
  std::vector<std::string_view> values() const {
    std::vector<std::string_view> all;
    for (std::size_t row = 0; row < num_rows(); ++row) {
      for (const auto& column : views_) all.push_back(column[row]);
    }
    return all;
  }

  std::string tsv() const {
    std::string text;
    for (std::size_t column = 0; column < num_columns; ++column)
      text += std::string(names[column]) + (column + 1 < num_columns ? "\t" : "\n");
    for (std::size_t row = 0; row < num_rows(); ++row) {
      for (std::size_t column = 0; column < num_columns; ++column)
        text += texts_[column][row] + (column + 1 < num_columns ? "\t" : "\n");
    }
    return text;
  }

 private:
  static constexpr std::size_t num_columns = 7;
  static constexpr const char* names[num_columns] = {"n", "many", "unused", "b", "y", "w", "a"};
  std::vector<std::string> texts_[num_columns];
  std::vector<std::string_view> views_[num_columns];
};

}  // namespace widehash::test
