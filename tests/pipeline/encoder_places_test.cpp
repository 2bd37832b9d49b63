// Rows by the places of their values against the same rows by views.

#include <widehash/encoder.hpp>
#include <widehash/row_parser.hpp>
#include <widehash/schema.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::test {
namespace {

constexpr std::size_t num_features = 11;

std::string schema_text(const std::string& top, const std::string& more = {}) {
  std::string toml = "label = \"y\"\n" + top + "fields = [\"y\", \"n\"";
  for (std::size_t i = 0; i < num_features; ++i) toml += ", \"f" + std::to_string(i) + "\"";
  toml += "]\n";
  for (std::size_t i = 0; i < num_features; ++i) {
    toml += "[[feature]]\nfield = \"f" + std::to_string(i) +
            "\"\ncardinality = " + std::to_string(40 << (2 * i)) + "\n";
  }
  return toml + more;
}

const std::string numeric = "[[feature]]\nfield = \"n\"\nencoding = \"numeric\"\n";

/// Rows of a label, a number and values; now and then a label or a number that is none.
std::string random_text(std::mt19937_64& random, std::size_t num_rows) {
  std::string text;
  for (std::size_t row = 0; row < num_rows; ++row) {
    text += random() % 30 == 0 ? "bad" : std::to_string(random() % 12);
    text += '\t' + (random() % 40 == 0 ? "x1" : std::to_string(random() % 2000));
    for (std::size_t i = 0; i < num_features; ++i) {
      text += '\t';
      text.append(random() % 12 == 0 ? random() % 50 : random() % 10, static_cast<char>('a' + random() % 26));
    }
    text += '\n';
  }
  // What follows is not as it should be, so that rows by places end before it.
  return text + "too\tfew\n" + std::string(100, ' ');
}

template <class Range>
std::vector<typename Range::value_type> copy_of(const Range& range) {
  return {range.begin(), range.end()};
}

void expect_same(const Encoder& encoder, const std::string& text, std::size_t num_fields) {
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  ASSERT_TRUE(encoder.takes_places(binding));
  RowParser parser({}, num_fields);
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
  EXPECT_EQ(copy_of(seen.codes), copy_of(expected.codes));
  EXPECT_EQ(copy_of(seen.numbers), copy_of(expected.numbers));
  EXPECT_EQ(copy_of(seen.targets), copy_of(expected.targets));
}

TEST(EncoderPlaces, GiveTheBatchThatViewsGive) {
  std::mt19937_64 random(8);
  for (const std::string& toml : {schema_text("seed = 3\n"), schema_text("", numeric)}) {
    const Encoder encoder(parse_schema(toml, "schema"));
    for (int round = 0; round < 20; ++round) expect_same(encoder, random_text(random, 200), num_features + 2);
  }
}

TEST(EncoderPlaces, AreTakenOnlyWhereEveryFeatureReadsItsFieldAsItIs) {
  const auto takes = [](const std::string& toml) {
    const Encoder encoder(parse_schema(toml, "schema"));
    return encoder.takes_places(encoder.bind(encoder.field_names(), "rows", true));
  };
  EXPECT_TRUE(takes(schema_text("")));
  EXPECT_TRUE(takes(schema_text("", numeric)));
  EXPECT_FALSE(takes(schema_text("missing_values = [\"NA\"]\n")));
  EXPECT_FALSE(takes(schema_text("missing = \"skip\"\n")));
  EXPECT_FALSE(takes(schema_text("hash = \"xxh3_128\"\n")));
  EXPECT_FALSE(takes(schema_text("", "[[feature]]\nname = \"z\"\nfield = \"n\"\ncardinality = 9\n")));
  EXPECT_FALSE(takes(schema_text("", "[[feature]]\ncross = [\"n\", \"f1\"]\ncardinality = 9\n")));
  EXPECT_FALSE(
      takes(schema_text("", "[[feature]]\nfield = \"n\"\nencoding = \"one_hot\"\ncardinality = 9\n")));
}

}  // namespace
}  // namespace widehash::test
