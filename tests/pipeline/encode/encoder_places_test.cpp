// Compares rows given by the places of their values with the same rows given by views.

#include "pipeline/pipeline_kit.hpp"

#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace widehash::test {
namespace {

constexpr std::size_t num_values = 11;
constexpr std::size_t num_fields = num_values + 2;

std::string feature(const std::string& rest) { return "[[feature]]\n" + rest + "\n"; }

/// Fields y, n and f0 to f10, and a four-split feature of each f, in order.
std::string schema_text(const std::string& top, const std::string& more = {}) {
  std::string toml = "label = \"y\"\n" + top + "fields = [\"y\", \"n\"";
  for (std::size_t i = 0; i < num_values; ++i) toml += ", \"f" + std::to_string(i) + "\"";
  toml += "]\n";
  for (std::size_t i = 0; i < num_values; ++i) {
    toml += feature("field = \"f" + std::to_string(i) + "\"\ncardinality = " + std::to_string(40 << (2 * i)));
  }
  return toml + more;
}

const std::string numeric = feature("field = \"n\"\nencoding = \"numeric\"");

/// Features of every kind, in mixed order.
const std::string of_all_kinds =
    numeric + feature("name = \"n4\"\nfield = \"n\"\ncardinality = 9") +
    feature("cross = [\"f9\", \"f1\"]\ncardinality = 5000") +
    feature("name = \"one\"\nfield = \"f2\"\nencoding = \"one_hot\"\ncardinality = 30") +
    feature("cross = [\"f3\", \"n\", \"f0\"]\ncardinality = 90\nmissing = \"skip\"") +
    feature("name = \"skips\"\nfield = \"f4\"\ncardinality = 70000\nmissing = \"skip\"") +
    feature(
        "name = \"one_skips\"\nfield = \"f5\"\nencoding = \"one_hot\"\ncardinality = 9\nmissing = \"skip\"") +
    feature("name = \"several\"\nfield = \"f6\"\ncardinality = 100\nseparator = \"|\"") +
    feature(
        "name = \"cuts\"\nfield = \"n\"\nencoding = \"numeric\"\ntransform = \"bucketize\"\nboundaries = [5, "
        "900]") +
    feature("name = \"nothing\"\nfield = \"f7\"\nencoding = \"ignore\"");

/// For each encoding, a feature with missing values of its own, together with other features of the same fields.
const std::string of_own_missing =
    numeric +
    feature("name = \"n -1\"\nfield = \"n\"\nencoding = \"numeric\"\nmissing_values = [\"7\", \"x1\"]") +
    feature("name = \"none\"\nfield = \"f1\"\ncardinality = 900\nmissing_values = []") +
    feature("name = \"two\"\nfield = \"f2\"\ncardinality = 90000\nmissing_values = [\"not known\", \"0\"]") +
    feature(
        "name = \"one\"\nfield = \"f2\"\nencoding = \"one_hot\"\ncardinality = 30\nmissing_values = "
        "[\"?\"]") +
    feature(
        "name = \"list\"\nfield = \"f6\"\ncardinality = 100\nseparator = \"|\"\nmissing_values = [\"a\", "
        "\"|\"]") +
    feature("cross = [\"f3\", \"f0\"]\ncardinality = 90\nmissing_values = [\"0\", \"?\"]");

/// Rows of a label, a number and values, each ended by `line_end`, with some values quoted if
/// `may_be_quoted`. Now and then the label or the number is invalid.
std::string random_text(std::mt19937_64& random, std::size_t num_rows, std::string_view line_end,
                        bool may_be_quoted) {
  static constexpr std::string_view marks[] = {"NA", "?", "0", "a|b", "|", "a|a|NA", "not known"};
  std::string text;
  const auto add = [&](const std::string& value) {
    const bool quoted = may_be_quoted && random() % 3 == 0;
    text += quoted ? '"' + value + '"' : value;
  };
  for (std::size_t row = 0; row < num_rows; ++row) {
    add(random() % 30 == 0 ? "bad" : std::to_string(random() % 12));
    text += '\t';
    add(random() % 40 == 0 ? "x1" : std::to_string(random() % 2000));
    for (std::size_t i = 0; i < num_values; ++i) {
      text += '\t';
      if (random() % 6 == 0) {
        add(std::string(marks[random() % std::size(marks)]));
      } else {
        const std::size_t length = random() % 12 == 0 ? random() % 50 : random() % 10;
        add(std::string(length, static_cast<char>('a' + random() % 26)));
      }
    }
    text += line_end;
  }
  // The text that follows is malformed, so parsing by places ends before it.
  return text + "too\tfew\n" + std::string(100, ' ');
}

void expect_same(const Encoder& encoder, const std::string& text) {
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  ASSERT_TRUE(encoder.takes_places());
  RowParser parser({.quote = '"'}, num_fields);
  parser.start(text);
  PlacedBatch placed;
  CodeBatch seen(encoder.layout());
  CodeBatch expected(encoder.layout());
  EncodeScratch scratch;
  std::size_t num_rows = 0;
  while (parser.next_placed(placed, 37)) {
    std::vector<std::string_view> values;
    for (std::size_t row = 0; row < placed.rows.num_rows; ++row) {
      for (std::size_t field = 0; field < num_fields; ++field)
        values.push_back(placed.rows.value(row, field));
    }
    std::vector<EncodeIssue> issues, expected_issues;
    encoder.encode(placed.rows, binding, seen, issues, scratch);
    encoder.encode({values, num_fields}, binding, expected, expected_issues);
    ASSERT_EQ(issues.size(), expected_issues.size());
    for (std::size_t i = 0; i < issues.size(); ++i) {
      EXPECT_EQ(issues[i].row, expected_issues[i].row);
      EXPECT_EQ(issues[i].reason, expected_issues[i].reason);
    }
    num_rows += placed.rows.num_rows;
  }
  EXPECT_GT(num_rows, 150u);
  ASSERT_EQ(seen.num_rows(), expected.num_rows());
  EXPECT_LT(seen.num_rows(), num_rows) << "no bad row was among them";
  EXPECT_TRUE(std::ranges::equal(seen.codes, expected.codes));
  EXPECT_TRUE(std::ranges::equal(seen.columns, expected.columns));
  EXPECT_TRUE(std::ranges::equal(seen.numbers, expected.numbers));
  EXPECT_TRUE(std::ranges::equal(seen.ragged, expected.ragged));
  EXPECT_TRUE(std::ranges::equal(seen.ragged_offsets, expected.ragged_offsets));
  EXPECT_TRUE(std::ranges::equal(seen.targets, expected.targets));
}

TEST(EncoderPlaces, GiveTheBatchThatViewsGive) {
  std::mt19937_64 random(8);
  for (const std::string& toml :
       {schema_text("seed = 3\n"), schema_text("", numeric), schema_text("missing = \"skip\"\n"),
        schema_text("missing_values = [\"NA\", \"?\"]\n"),
        schema_text("missing_values = [\"not known\", \"?\"]\n", of_all_kinds), schema_text("", of_all_kinds),
        // A missing text that looks like a number is not a number.
        schema_text("missing_values = [\"NA\", \"0\"]\n", of_all_kinds),
        schema_text("missing_values = [\"NA\"]\nmissing = \"skip\"\n", of_all_kinds),
        // Missing for one feature and not for the other.
        schema_text("missing_values = [\"NA\"]\n", of_own_missing),
        schema_text("missing_values = [\"NA\"]\nmissing = \"skip\"\n", of_own_missing)}) {
    const Encoder encoder(parse_schema(toml, "schema"));
    for (int round = 0; round < 20; ++round) {
      expect_same(encoder, random_text(random, 200, random() % 2 == 0 ? "\n" : "\r\n", round % 2 == 0));
    }
  }
}

TEST(EncoderPlaces, GiveTheBatchThatViewsGiveWithTables) {
  std::mt19937_64 random(9);
  TempFolder folder;
  const std::string toml =
      schema_text("header = false\nmissing_values = [\"NA\"]\n",
                  feature("name = \"head\"\nfield = \"f8\"\nencoding = \"exact\"\ncardinality = 300") +
                      feature("field = \"n\"\nencoding = \"numeric\"\ntransform = \"standardize\""));
  const std::string text = random_text(random, 300, "\n", false);
  write_text_file(folder.file("in.tsv"), text);
  FitOptions options;
  options.max_bad_rows = 1000;
  run_fit(toml, {folder.file("in.tsv")}, folder.file("tables"), options);
  expect_same(Encoder(parse_schema(toml, "schema"), folder.file("tables")), text);
}

TEST(EncoderPlaces, AreTakenWhereTheHashIsXxh64) {
  const auto takes = [](const std::string& toml) {
    return Encoder(parse_schema(toml, "schema")).takes_places();
  };
  EXPECT_TRUE(takes(schema_text("")));
  EXPECT_TRUE(takes(schema_text("missing_values = [\"NA\", \"not known\"]\n", of_all_kinds)));
  EXPECT_FALSE(takes(schema_text("hash = \"xxh3_128\"\n")));
}

}  // namespace
}  // namespace widehash::test
