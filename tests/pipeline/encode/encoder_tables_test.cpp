#include "hashing/crafted_values.hpp"
#include "pipeline/pipeline_kit.hpp"

#include <widehash/code.hpp>

#include <cmath>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::HasSubstr;

RowEntries tail_row(std::string_view value, std::uint64_t m, SparseIndex head_columns) {
  RowEntries row;
  const std::uint64_t hash = hash_xxh64(value);
  for (std::uint64_t k = 0; k < 4; ++k) {
    row[head_columns + static_cast<SparseIndex>(k * m + ((hash >> (48 - 16 * k)) & 0xFFFF) % m)] += 1;
  }
  return row;
}

/// A table in which 'a' occurs 6 times, 'b' 4, 'c' 3, 'd' 2 and 'e' once.
class EncoderTables : public testing::Test {
 protected:
  EncoderTables() {
    std::string text = "shop\n";
    for (const auto& [value, count] :
         std::vector<std::pair<const char*, int>>{{"c", 3}, {"a", 6}, {"e", 1}, {"b", 4}, {"d", 2}}) {
      for (int i = 0; i < count; ++i) text += std::string(value) + "\n";
    }
    write_text_file(folder_.file("in.tsv"), text);
  }
  Encoder fitted(const std::string& toml) {
    FitOptions options;
    options.overwrite = true;
    run_fit(toml, {folder_.file("in.tsv")}, folder_.file("tables"), options);
    return Encoder(parse_schema(toml, "schema.toml"), folder_.file("tables"));
  }
  static std::vector<RowEntries> encoded(const Encoder& encoder,
                                         const std::vector<std::string_view>& values) {
    return matrix_rows(encoder.encode({values, 1}).view());
  }

  TempFolder folder_;
  const std::string exact_ = "[[feature]]\nfield = \"shop\"\nencoding = \"exact\"\ncardinality = 100\n";
};

TEST_F(EncoderTables, EveryKnownValueHasAColumnByFallingCount) {
  const Encoder encoder = fitted(exact_);
  EXPECT_EQ(encoder.head_columns(), std::vector<std::uint32_t>{5});
  EXPECT_EQ(encoder.layout()->num_columns, 5u + 40u);
  const auto rows = encoded(encoder, {"a", "b", "c", "d", "e", "never seen", ""});
  for (SparseIndex i = 0; i < 5; ++i)
    EXPECT_EQ(rows[static_cast<std::size_t>(i)], (RowEntries{{i, 1.0F}})) << i;
  EXPECT_EQ(rows[5], tail_row("never seen", 10, 5));
  EXPECT_EQ(rows[6], tail_row("", 10, 5));
}

TEST_F(EncoderTables, KnownValuesOfOneHashHaveAColumnEach) {
  const std::vector<std::string> values = CraftedValues::with_hash(0x0123456789ABCDEF, 3000);
  std::string text = "shop\n";
  for (std::size_t i = 0; i + 1000 < values.size(); ++i) text += values[i] + "\n";
  write_text_file(folder_.file("in.tsv"), text);
  const Encoder encoder = fitted(exact_);
  ASSERT_EQ(encoder.head_columns(), std::vector<std::uint32_t>{2000});
  const auto rows = encoded(encoder, {values.begin(), values.end()});
  std::vector<bool> seen(2000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= 2000) {
      EXPECT_EQ(rows[i], tail_row(values[i], 10, 2000));
      continue;
    }
    ASSERT_EQ(rows[i].size(), 1u);
    const auto column = static_cast<std::size_t>(rows[i].begin()->first);
    ASSERT_LT(column, seen.size());
    EXPECT_FALSE(seen[column]);
    seen[column] = true;
  }
}

TEST_F(EncoderTables, RareValuesFallToTheTail) {
  const Encoder encoder = fitted(exact_ + "min_count = 3\n");
  EXPECT_EQ(encoder.head_columns(), std::vector<std::uint32_t>{3});
  const auto rows = encoded(encoder, {"c", "d", "e"});
  EXPECT_EQ(rows[0], (RowEntries{{2, 1.0F}}));
  EXPECT_EQ(rows[1], tail_row("d", 10, 3));
  EXPECT_EQ(rows[2], tail_row("e", 10, 3));
}

TEST_F(EncoderTables, TheCapKeepsTheMostFrequent) {
  const Encoder encoder = fitted(exact_ + "max_values = 2\n");
  const auto rows = encoded(encoder, {"a", "b", "c"});
  EXPECT_EQ(rows[0], (RowEntries{{0, 1.0F}}));
  EXPECT_EQ(rows[1], (RowEntries{{1, 1.0F}}));
  EXPECT_EQ(rows[2], tail_row("c", 10, 2));
}

TEST_F(EncoderTables, AHeadThatNothingReachesIsEmpty) {
  const Encoder encoder = fitted(exact_ + "min_count = 100\n");
  EXPECT_EQ(encoder.head_columns(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(encoded(encoder, {"a"})[0], tail_row("a", 10, 0));
}

TEST_F(EncoderTables, SeedAndWideHashFindTheirHead) {
  for (const std::string top : {"seed = 5\n", "hash = \"xxh3_128\"\n", "hash = \"xxh3_128\"\nseed = 5\n"}) {
    const auto rows = encoded(fitted(top + exact_), {"a", "e"});
    EXPECT_EQ(rows[0], (RowEntries{{0, 1.0F}})) << top;
    EXPECT_EQ(rows[1], (RowEntries{{4, 1.0F}})) << top;
  }
}

TEST_F(EncoderTables, AHeadOfManyValuesFindsEachOfThem) {
  std::string text = "shop\n";
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(fmt::format("value {}", i));
  for (const auto& name : names) text += name + "\n";
  write_text_file(folder_.file("in.tsv"), text);
  const Encoder encoder = fitted(exact_);
  const std::vector<std::string_view> values(names.begin(), names.end());
  const auto rows = encoded(encoder, values);
  std::vector<bool> used(5000, false);
  for (const RowEntries& row : rows) {
    ASSERT_EQ(row.size(), 1u);
    ASSERT_LT(row.begin()->first, 5000);
    EXPECT_FALSE(used[static_cast<std::size_t>(row.begin()->first)]);
    used[static_cast<std::size_t>(row.begin()->first)] = true;
  }
}

TEST_F(EncoderTables, MissingAndListsReachTheHeadToo) {
  write_text_file(folder_.file("in.tsv"), "shop\nx,y\nx\nNA\nx,,y\n");
  const std::string toml = "missing_values = [\"NA\"]\n" + exact_ + "separator = \",\"\n";
  const auto rows = encoded(fitted(toml), {"x,x,y", "NA", ""});
  EXPECT_EQ(rows[0].at(0), 2.0F);  // x: 3 of them
  EXPECT_EQ(rows[0].size(), 2u);
  EXPECT_EQ(rows[1].size(), 1u);
  EXPECT_EQ(rows[1], rows[2]);
}

TEST_F(EncoderTables, StandardizeUsesTheMomentsOfFit) {
  write_text_file(folder_.file("in.tsv"), "price\n1\n\n3\nNA\n8\n");
  const std::string toml =
      "missing_values = [\"NA\"]\n[[feature]]\nfield = \"price\"\nencoding = \"numeric\"\ntransform = "
      "\"standardize\"\n";
  const Encoder encoder = fitted(toml);
  const double mean = 4;
  const double deviation = std::sqrt((9.0 + 1.0 + 16.0) / 3);
  const auto rows = encoded(encoder, {"1", "4", "", "NA", "10"});
  EXPECT_NEAR(rows[0].at(0), (1 - mean) / deviation, 1e-6);
  EXPECT_TRUE(rows[1].empty());
  EXPECT_TRUE(rows[2].empty());
  EXPECT_TRUE(rows[3].empty());
  EXPECT_NEAR(rows[4].at(0), (10 - mean) / deviation, 1e-6);
}

TEST_F(EncoderTables, AConstantNumberStandardizesToNothing) {
  write_text_file(folder_.file("in.tsv"), "price\n7\n7\n");
  const Encoder encoder =
      fitted("[[feature]]\nfield = \"price\"\nencoding = \"numeric\"\ntransform = \"standardize\"\n");
  for (const RowEntries& row : encoded(encoder, {"7", "1e30"})) EXPECT_TRUE(row.empty());
}

TEST_F(EncoderTables, TablesOfAnotherSchemaAreRefused) {
  fitted(exact_);
  const Schema other = parse_schema(exact_ + "min_count = 2\n", "schema.toml");
  EXPECT_THAT(complaint<ConfigError>([&] { Encoder(other, folder_.file("tables")); }),
              HasSubstr("min_count"));
  EXPECT_THROW(Encoder(parse_schema(exact_, "s"), folder_.file("nowhere")), FileError);
}

TEST_F(EncoderTables, TablesBesideAnOlderSetAreRefused) {
  // What remains when a fit is killed after its tables and before tables.json.
  fitted(exact_);
  const std::string older = read_text_file(folder_.file("tables/tables.json"));
  write_text_file(folder_.file("in.tsv"), "shop\nz\n");
  fitted(exact_);
  write_text_file(folder_.file("tables/tables.json"), older);
  EXPECT_THAT(complaint<DataError>([&] { Encoder(parse_schema(exact_, "s"), folder_.file("tables")); }),
              HasSubstr("fit again"));
}

TEST_F(EncoderTables, TheFingerprintDistinguishesTables) {
  const std::string first = fitted(exact_).fingerprint().tables;
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(fitted(exact_).fingerprint().tables, first);
  write_text_file(folder_.file("in.tsv"), "shop\na\n");
  EXPECT_NE(fitted(exact_).fingerprint().tables, first);
}

TEST_F(EncoderTables, ThoseThatNoFeatureNeedsAreLookedAtAllTheSame) {
  const std::string toml = "[[feature]]\nfield = \"shop\"\ncardinality = 5\n";
  EXPECT_THROW(Encoder(parse_schema(toml, "schema.toml"), folder_.file("nowhere")), FileError);
}

}  // namespace
}  // namespace widehash::test
