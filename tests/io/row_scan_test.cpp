#include "row_scan.hpp"

#include "plain_table.hpp"
#include "vector_targets.hpp"

#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

struct Shape {
  Dialect dialect;
  std::size_t num_fields;
};

std::string random_text(std::mt19937_64& random, const std::string& alphabet, std::size_t length) {
  std::string text(length, '\0');
  for (char& byte : text) byte = alphabet[random() % alphabet.size()];
  return text;
}

/// Mostly well-formed rows, with an occasional hostile one.
std::string random_table(std::mt19937_64& random, const Shape& shape, std::size_t num_rows) {
  const char quote = shape.dialect.quote;
  const bool crlf = random() % 4 == 0;
  std::string text;
  for (std::size_t row = 0; row < num_rows; ++row) {
    if (random() % 20 == 0) {
      text +=
          random_text(random, {'a', shape.dialect.delimiter, '\n', '\r', quote == '\0' ? '"' : quote, ' '},
                      random() % 60);
      continue;
    }
    for (std::size_t field = 0; field < shape.num_fields; ++field) {
      if (field > 0) text += shape.dialect.delimiter;
      const std::string value =
          random_text(random, "abc \x80", random() % 4 == 0 ? random() % 90 : random() % 9);
      const bool quoted = quote != '\0' && random() % 3 == 0;
      if (quoted) {
        text += quote + value + (random() % 5 == 0 ? std::string(1, shape.dialect.delimiter) : "") + quote;
      } else {
        text += value;
      }
    }
    text += crlf ? "\r\n" : "\n";
  }
  return text;
}

struct GoodRows {
  std::vector<std::vector<std::string>> values;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> lines;
  std::vector<std::uint64_t> bad_lines;
};

GoodRows parsed(const std::string& text, const Shape& shape, std::size_t max_rows) {
  RowParser parser(shape.dialect, shape.num_fields);
  parser.start(text);
  RowBatch batch;
  GoodRows rows;
  while (parser.next(batch, max_rows)) {
    for (std::size_t row = 0; row < batch.num_rows; ++row) {
      const auto values = batch.row(row);
      rows.values.emplace_back(values.begin(), values.end());
      rows.texts.emplace_back(batch.texts[row]);
      rows.lines.push_back(batch.lines[row]);
    }
    for (const BadRow& row : batch.bad_rows) rows.bad_lines.push_back(row.line);
  }
  return rows;
}

GoodRows expected_rows(const test::PlainTable& table, const Shape& shape) {
  GoodRows rows;
  for (const auto& row : table.rows) {
    if (row.blank && shape.num_fields > 1) continue;
    const bool is_good = row.sound && row.values.size() == shape.num_fields &&
                         std::all_of(row.values.begin(), row.values.end(), [&](const std::string& value) {
                           return value.size() <= shape.dialect.max_field_bytes;
                         });
    if (is_good) {
      rows.values.push_back(row.values);
      rows.texts.push_back(row.text);
      rows.lines.push_back(row.line);
    } else {
      rows.bad_lines.push_back(row.line);
    }
  }
  return rows;
}

const std::vector<Shape> shapes = {
    {{}, 1},
    {{}, 2},
    {{}, 7},
    {{.delimiter = ' ', .trim = true}, 3},
    {{.delimiter = ',', .trim = true}, 3},
    {{.delimiter = ',', .quote = '"'}, 1},
    {{.delimiter = ',', .quote = '"'}, 3},
    {{.delimiter = ';', .quote = '\''}, 40},
    {{.delimiter = ',', .quote = '"', .trim = true}, 3},
    {{.delimiter = ',', .max_field_bytes = 20}, 3},
    {{.delimiter = '\xE9'}, 3},
};

WIDEHASH_FOR_VECTOR_TARGETS(RowScanTargets);

TEST_P(RowScanTargets, GivesTheRowsOfThePlainReading) {
  std::mt19937_64 random(11);
  std::size_t num_tables = 0;
  for (int round = 0; round < 2000; ++round) {
    const Shape& shape = shapes[static_cast<std::size_t>(round) % shapes.size()];
    const std::string text = round % 3 == 0 ? test::hostile_text(random, shape.dialect, 40, shape.num_fields)
                                            : random_table(random, shape, random() % 60);
    const test::PlainTable table = test::parse_plainly(text, shape.dialect);
    if (table.quote_left_open) continue;
    ++num_tables;
    const GoodRows expected = expected_rows(table, shape);
    const GoodRows seen = parsed(text, shape, 1 + random() % 100);
    ASSERT_EQ(seen.values, expected.values) << text;
    ASSERT_EQ(seen.texts, expected.texts) << text;
    ASSERT_EQ(seen.lines, expected.lines) << text;
    ASSERT_EQ(seen.bad_lines, expected.bad_lines) << text;
  }
  EXPECT_GT(num_tables, 1000u);
}

TEST_P(RowScanTargets, TakesAllRowsThatAreAsTheyShouldBe) {
  // The plain path gives the same rows, so only a count shows that the fast path was taken.
  std::string bare;
  std::string quoted;
  for (int row = 0; row < 1000; ++row) {
    bare += "a\t\tsome value\t4\r\n";
    quoted += "\"a\",\"b,c\",,\"\"\n";
  }
  std::vector<std::string_view> fields(1000 * 4 + scan_slack);
  const auto num_taken = [&](const std::string& text, const Dialect& dialect) {
    return scan_rows(text.data(), text.data() + text.size(), dialect, 4, 1000, fields.data()).num_rows;
  };
  EXPECT_GE(num_taken(bare, {}), 995u);
  EXPECT_EQ(fields[2], "some value");
  EXPECT_EQ(fields[3], "4");
  EXPECT_GE(num_taken(quoted, {.delimiter = ',', .quote = '"'}), 995u);
  EXPECT_EQ(fields[1], "b,c");
  EXPECT_EQ(fields[3], "");
}

}  // namespace
}  // namespace widehash::detail
