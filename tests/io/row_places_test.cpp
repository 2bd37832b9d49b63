// Defined as in row_places.cpp, so that its instruction sets are among those tested.
#define HWY_WANT_AVX3_DL 1
#include "row_places.hpp"

#include "vector_targets.hpp"

#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

WIDEHASH_FOR_VECTOR_TARGETS(RowPlacesTargets);

struct Seen {
  std::vector<std::string> values;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> lines;
  std::vector<std::uint64_t> bad_lines;
  std::size_t num_placed = 0;
  bool operator==(const Seen& other) const {
    return values == other.values && texts == other.texts && lines == other.lines &&
           bad_lines == other.bad_lines;
  }
};

/// Everything the parser yields. If `by_places`, takes rows as places wherever the parser offers them.
Seen parsed(const std::string& text, const Dialect& dialect, std::size_t num_fields, std::size_t max_rows,
            bool by_places) {
  RowParser parser(dialect, num_fields);
  parser.start(text, 5);
  RowBatch batch;
  PlacedBatch placed;
  Seen seen;
  while (true) {
    if (by_places && parser.next_placed(placed, max_rows)) {
      const PlacedRows& rows = placed.rows;
      EXPECT_LE(rows.num_rows, max_rows);
      for (std::size_t row = 0; row < rows.num_rows; ++row) {
        for (std::size_t field = 0; field < num_fields; ++field)
          seen.values.emplace_back(rows.value(row, field));
        seen.texts.emplace_back(rows.row_text(row));
        seen.lines.push_back(placed.first_line + row);
      }
      // Readers may load 8 bytes from the start of any value.
      EXPECT_LE(rows.value(rows.num_rows - 1, num_fields - 1).data() + 8, text.data() + text.size());
      seen.num_placed += rows.num_rows;
      continue;
    }
    if (!parser.next(batch, max_rows)) return seen;
    for (std::size_t row = 0; row < batch.num_rows; ++row) {
      for (const std::string_view value : batch.row(row)) seen.values.emplace_back(value);
      seen.texts.emplace_back(batch.texts[row]);
      seen.lines.push_back(batch.lines[row]);
    }
    for (const BadRow& row : batch.bad_rows) seen.bad_lines.push_back(row.line);
  }
}

struct TableShape {
  std::string_view line_end = "\n";
  std::size_t num_fields = 1;
  std::size_t num_rows = 0;
  std::size_t one_odd_in = 1;     // something other than values precedes one row in this many
  std::size_t one_quoted_in = 0;  // one value in this many is quoted; 0: none
};

/// A random value. If `quoted`, it may contain anything that quotes allow.
std::string random_value(std::mt19937_64& random, const Dialect& dialect, bool quoted) {
  std::string value(random() % 8 == 0 ? random() % 100 : random() % 9,
                    static_cast<char>('a' + random() % 26));
  if (!quoted) return value;
  if (!value.empty() && random() % 4 == 0) value[random() % value.size()] = dialect.delimiter;
  if (!value.empty() && random() % 16 == 0) value[random() % value.size()] = '\r';
  return dialect.quote + value + dialect.quote;
}

std::string random_table(std::mt19937_64& random, const Dialect& dialect, const TableShape& shape) {
  static constexpr std::string_view odd[] = {
      "\n",         "\r\n",   "x",    "\t\t\n", "a\r",    "\r\r\n", ",,,,,", "\n\n\n", "\"",     "\"a\nb\"",
      "\"a\"\"b\"", "a\rb\t", "\n\r", "\r,b",   "\"a\"x", "b\"",    "\"\"",  "\"\"\"", "\"a\"\r"};
  std::string text;
  for (std::size_t row = 0; row < shape.num_rows; ++row) {
    if (random() % shape.one_odd_in == 0) text += odd[random() % std::size(odd)];
    for (std::size_t field = 0; field < shape.num_fields; ++field) {
      if (field > 0) text += dialect.delimiter;
      const bool quoted = shape.one_quoted_in != 0 && random() % shape.one_quoted_in == 0;
      text += random_value(random, dialect, quoted);
    }
    text += shape.line_end;
  }
  return text;
}

TEST_P(RowPlacesTargets, GiveTheRowsThatViewsGive) {
  std::mt19937_64 random(5);
  std::size_t num_placed = 0;
  std::size_t num_quoted = 0;  // placed rows in tables with quoted values
  for (int round = 0; round < 2500; ++round) {
    Dialect dialect;
    if (random() % 2 == 0) dialect.delimiter = ',';
    if (random() % 2 == 0) dialect.quote = '"';
    if (random() % 4 == 0) dialect.max_field_bytes = 50;
    TableShape shape;
    shape.line_end = random() % 2 == 0 ? "\n" : "\r\n";
    shape.num_fields = 1 + random() % 45;
    shape.num_rows = random() % 80;
    shape.one_odd_in = 1 + random() % 200;
    if (dialect.quote != '\0') shape.one_quoted_in = std::array{0, 1, 1, 2, 50, 1000}[random() % 6];
    std::string text = random_table(random, dialect, shape);
    if (random() % 4 == 0 && !text.empty()) text.resize(random() % text.size());
    const std::size_t max_rows = 1 + random() % 100;
    const Seen expected = parsed(text, dialect, shape.num_fields, max_rows, false);
    const Seen seen = parsed(text, dialect, shape.num_fields, max_rows, true);
    ASSERT_TRUE(seen == expected) << text;
    num_placed += seen.num_placed;
    if (shape.one_quoted_in != 0) num_quoted += seen.num_placed;
  }
  EXPECT_GT(num_placed, 30000u);
  EXPECT_GT(num_quoted, 10000u);
}

TEST_P(RowPlacesTargets, ManyShortValuesInAStep) {
  std::string text;
  for (int row = 0; row < 500; ++row) text += std::string(99, '\t') + "\n";
  const Seen seen = parsed(text, {}, 100, 64, true);
  EXPECT_GT(seen.num_placed, 495u);
  EXPECT_EQ(seen.lines.size(), 500u);
  EXPECT_TRUE(std::all_of(seen.values.begin(), seen.values.end(), [](const auto& v) { return v.empty(); }));
}

TEST_P(RowPlacesTargets, TakeRowsOfEitherLineEnd) {
  const std::string row = "some value\tand another one that is long enough to fill a step of the scan";
  for (const std::size_t one_in : {1, 10}) {  // all rows end in CR LF; LF with an occasional run of CR LF
    std::string text;
    for (std::size_t i = 0; i < 1000; ++i) text += row + (i / 20 % one_in == 0 ? "\r\n" : "\n");
    const Seen seen = parsed(text, {}, 2, 50, true);
    EXPECT_TRUE(seen == parsed(text, {}, 2, 50, false));
    EXPECT_EQ(seen.texts, std::vector<std::string>(1000, row));
    EXPECT_GT(seen.num_placed, 990u);
  }
}

TEST_P(RowPlacesTargets, LeaveLineEndsThatTakeTurnsToTheOtherWay) {
  std::string text;
  for (int row = 0; row < 1000; ++row)
    text += row % 2 == 0 ? "some value\tanother\n" : "some value\tanother\r\n";
  const Seen seen = parsed(text, {}, 2, 50, true);
  EXPECT_TRUE(seen == parsed(text, {}, 2, 50, false));
  EXPECT_GT(seen.num_placed, 0u);
  EXPECT_LT(seen.num_placed, 40u) << "a scan for every row";
}

TEST_P(RowPlacesTargets, StandBeforeAndBehindQuotes) {
  const std::string bare = "some value,and another one that is long enough to fill a step of the scan\n";
  const std::string quoted = "\"a,\"\"b\n\",\"c\"\n";
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  std::string text;
  for (const std::size_t rows : {100, 200, 300}) {
    for (std::size_t row = 0; row < rows; ++row) text += bare;
    text += quoted;
  }
  const Seen seen = parsed(text, dialect, 2, 50, true);
  EXPECT_TRUE(seen == parsed(text, dialect, 2, 50, false));
  EXPECT_EQ(seen.lines.size(), 603u);
  EXPECT_GT(seen.num_placed, 450u);
  // If the scan can place none of the rows, the other path takes all of them.
  std::string all_quoted;
  for (int row = 0; row < 500; ++row) all_quoted += quoted;
  EXPECT_EQ(parsed(all_quoted, dialect, 2, 50, true).num_placed, 0u);
}

TEST_P(RowPlacesTargets, StepOverTheQuotesOfValues) {
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  for (const std::string line_end : {"\n", "\r\n"}) {
    const std::string row = "\"some value, with a delimiter\",,\"\",bare,\"\rand another one\"";
    std::string text;
    for (std::size_t i = 0; i < 1000; ++i) text += row + line_end;
    const Seen seen = parsed(text, dialect, 5, 50, true);
    EXPECT_GT(seen.num_placed, 995u);
    EXPECT_EQ(seen.texts, std::vector<std::string>(1000, row));
    for (std::size_t i = 0; i < seen.values.size(); i += 5) {
      ASSERT_EQ(seen.values[i], "some value, with a delimiter");
      ASSERT_EQ(seen.values[i + 1], "");
      ASSERT_EQ(seen.values[i + 2], "");
      ASSERT_EQ(seen.values[i + 3], "bare");
      ASSERT_EQ(seen.values[i + 4], "\rand another one");
    }
  }
}

TEST_P(RowPlacesTargets, QuotesMayStandAnywhereInAStep) {
  // Puts the quotes and separators of a row, and the faults after them, at every distance from the step borders.
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  for (const std::string_view fault :
       {"", "\"a\"\"b\",c\n", "\"a\nb\",c\n", "\"a\"b,c\n", "a\"b,c\n", "\n", "a\n"}) {
    for (std::size_t shift = 0; shift < 130; ++shift) {
      std::string text = std::string(shift, 'x') + ",\"\"\n";
      for (int row = 0; row < 40; ++row) text += row % 2 == 0 ? "\"a\",\"bc\"\n" : ",\"\"\n";
      text += fault;
      for (int row = 0; row < 40; ++row) text += row % 2 == 0 ? "\"\",\"\"\n" : "\"de\",f\n";
      ASSERT_TRUE(parsed(text, dialect, 2, 50, true) == parsed(text, dialect, 2, 50, false)) << text;
    }
  }
}

TEST_P(RowPlacesTargets, TwoFaultsMayHideEachOther) {
  // One row has a line end too many; the other has one, after its last quote, that the scan did not reach.
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  for (const std::string_view start : {"\"a\"\n\n", "\"a\"\n\"b\"\n", "\n\"a\"\n"}) {
    for (std::size_t shift = 0; shift < 128; ++shift) {
      std::string text = std::string(start) + '"' + std::string(shift, 'b') + "\",\"c\"\n";
      for (int row = 0; row < 10; ++row) text += "\"dd\",\"e\"\n";
      for (std::size_t max_rows = 1; max_rows <= 8; ++max_rows) {
        ASSERT_TRUE(parsed(text, dialect, 2, max_rows, true) == parsed(text, dialect, 2, max_rows, false))
            << text;
      }
    }
  }
}

TEST_P(RowPlacesTargets, AreTakenOfWideRowsWithAQuoteFarBehind) {
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  for (const std::size_t bare_bytes : {900, 1100, 3000}) {
    std::string text;
    for (int row = 0; row < 1000; ++row) text += std::string(bare_bytes, 'x') + ",\"a, b\"\n";
    const Seen seen = parsed(text, dialect, 2, 50, true);
    EXPECT_TRUE(seen == parsed(text, dialect, 2, 50, false));
    EXPECT_GT(seen.num_placed, 990u) << bare_bytes;
    // One row in three is quoted.
    std::string mixed;
    for (int row = 0; row < 1000; ++row)
      mixed += std::string(bare_bytes, 'x') + (row % 3 == 0 ? ",\"a\"\n" : ",a\n");
    EXPECT_GT(parsed(mixed, dialect, 2, 50, true).num_placed, 900u) << bare_bytes;
  }
}

TEST_P(RowPlacesTargets, ResumeAfterARowThatTheyCannotPlace) {
  const Dialect dialect{.delimiter = ',', .quote = '"'};
  std::string text;
  for (int row = 0; row < 10000; ++row) text += row % 100 == 0 ? "\"a \"\"b\"\"\",c\n" : "\"some value\",c\n";
  const Seen seen = parsed(text, dialect, 2, 50, true);
  EXPECT_TRUE(seen == parsed(text, dialect, 2, 50, false));
  EXPECT_GT(seen.num_placed, 9000u);
}

TEST_P(RowPlacesTargets, LeaveWhatTheyCannotPlaceToTheOtherMethod) {
  const std::string bare = "some value\tand another one that is long enough to fill a step of the scan\n";
  std::string text;
  for (int row = 0; row < 100; ++row) text += bare;
  EXPECT_GT(parsed(text, {}, 2, 10, true).num_placed, 95u);
  EXPECT_EQ(parsed(text, {.trim = true}, 2, 10, true).num_placed, 0u);
  // A CR inside a value is one of its bytes. If line ends contain a CR too, the other path takes the rows.
  std::string returns;
  for (int row = 0; row < 100; ++row) returns += "a\rb\t" + bare.substr(0, bare.size() - 1) + "\r\n";
  EXPECT_EQ(parsed(returns, {}, 3, 10, true).num_placed, 0u);
  EXPECT_EQ(parsed(returns, {}, 4, 10, true).bad_lines.size(), 100u);
}

}  // namespace
}  // namespace widehash::detail
