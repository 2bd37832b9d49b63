#include "pipeline/pipeline_kit.hpp"

#include <widehash/code.hpp>

#include <cmath>
#include <random>
#include <thread>

namespace widehash::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The rows of the matrix that `encoder` makes from rows in memory.
std::vector<RowEntries> encoded(const Encoder& encoder, const std::vector<std::string_view>& values) {
  return matrix_rows(encoder.encode({values, encoder.field_names().size()}).view());
}

std::vector<RowEntries> encoded(const std::string& toml, const std::vector<std::string_view>& values) {
  return encoded(Encoder(parse_schema(toml, "schema.toml")), values);
}

/// Adds the four-split columns of `value` as the specification defines them: width `m`, from column `offset`.
void add_four_split(RowEntries& row, std::string_view value, std::uint64_t m, SparseIndex offset = 0,
                    std::uint64_t seed = 0) {
  const std::uint64_t hash = hash_xxh64(value, seed);
  for (std::uint64_t k = 0; k < 4; ++k) {
    const std::uint64_t split = (hash >> (48 - 16 * k)) % 65536;
    row[offset + static_cast<SparseIndex>(k * m + split % m)] += 1;
  }
}

RowEntries four_split_row(std::string_view value, std::uint64_t m, SparseIndex offset = 0) {
  RowEntries row;
  add_four_split(row, value, m, offset);
  return row;
}

/// A cross as the specification defines it: for each part its length in four bytes, then its bytes.
std::string crossed(const std::vector<std::string>& parts) {
  std::string value;
  for (const std::string& part : parts) {
    for (int byte = 0; byte < 4; ++byte) value += static_cast<char>((part.size() >> (8 * byte)) & 0xFF);
    value += part;
  }
  return value;
}

TEST(Encoder, FourSplitColumnsAreThoseOfTheContract) {
  const auto rows =
      encoded("[[feature]]\nfield = \"a\"\ncardinality = 1000\n", {"x", "", "long value with spaces"});
  EXPECT_EQ(rows[0], four_split_row("x", 32));
  EXPECT_EQ(rows[1], four_split_row("", 32));
  EXPECT_EQ(rows[2], four_split_row("long value with spaces", 32));
}

TEST(Encoder, TheWidestFourSplitFitsItsSlots) {
  const auto rows =
      encoded("[[feature]]\nfield = \"a\"\ncardinality = 4294967296\nmissing = \"skip\"\n", {"x", "", "y"});
  EXPECT_EQ(rows[0], four_split_row("x", 65536));
  EXPECT_THAT(rows[1], IsEmpty());
  EXPECT_EQ(rows[2], four_split_row("y", 65536));
}

TEST(Encoder, EveryValueOfTheWidestSplitDiffersFromAbsence) {
  // Among 200,000 values some have bucket 65535, the 16-bit code of an absent value.
  const Encoder encoder(
      parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 4294967296\n", "schema.toml"));
  std::vector<std::string> texts;
  for (int i = 0; i < 200000; ++i) texts.push_back(std::to_string(i));
  const std::vector<std::string_view> values(texts.begin(), texts.end());
  const Csr x = to_csr(encoder.encode({values, 1}).view());
  EXPECT_EQ(x.columns.size(), 800000u);
}

TEST(Encoder, OneHotIsTheHashModuloBuckets) {
  const auto rows = encoded("[[feature]]\nfield = \"a\"\nencoding = \"one_hot\"\nbuckets = 17\n", {"x", ""});
  EXPECT_EQ(rows[0], (RowEntries{{static_cast<SparseIndex>(hash_xxh64("x") % 17), 1.0F}}));
  EXPECT_EQ(rows[1], (RowEntries{{static_cast<SparseIndex>(hash_xxh64("") % 17), 1.0F}}));
  const auto by_width =
      encoded("[[feature]]\nfield = \"a\"\nencoding = \"one_hot\"\ncardinality = 1000\n", {"x"});
  EXPECT_EQ(by_width[0], (RowEntries{{static_cast<SparseIndex>(hash_xxh64("x") % 128), 1.0F}}));
}

TEST(Encoder, SeedAndWideHashChangeTheCodes) {
  const std::string feature = "[[feature]]\nfield = \"a\"\ncardinality = 1000\n";
  RowEntries seeded;
  add_four_split(seeded, "x", 32, 0, 7);
  EXPECT_EQ(encoded("seed = 7\n" + feature, {"x"})[0], seeded);

  const Hash128 hash = hash_xxh3_128("x", 7);
  const std::uint64_t parts[] = {hash.high >> 32, hash.high & 0xFFFFFFFF, hash.low >> 32,
                                 hash.low & 0xFFFFFFFF};
  RowEntries wide;
  for (std::uint64_t k = 0; k < 4; ++k) wide[static_cast<SparseIndex>(k * 32 + parts[k] % 32)] += 1;
  EXPECT_EQ(encoded("hash = \"xxh3_128\"\nseed = 7\n" + feature, {"x"})[0], wide);

  const auto one_hot = encoded(
      "hash = \"xxh3_128\"\n[[feature]]\nfield = \"a\"\nencoding = \"one_hot\"\nbuckets = 1000\n", {"x"});
  EXPECT_EQ(one_hot[0], (RowEntries{{static_cast<SparseIndex>(hash_xxh3_128("x").low % 1000), 1.0F}}));

  // A width of more than 16 bits: the four columns are the 32-bit parts modulo m.
  const auto huge =
      encoded("hash = \"xxh3_128\"\n[[feature]]\nfield = \"a\"\ncardinality = 1000000000000\n", {"x"});
  const Hash128 plain = hash_xxh3_128("x");
  const std::uint64_t m = 1000000;
  EXPECT_EQ(huge[0], (RowEntries{{static_cast<SparseIndex>((plain.high >> 32) % m), 1.0F},
                                 {static_cast<SparseIndex>(m + (plain.high & 0xFFFFFFFF) % m), 1.0F},
                                 {static_cast<SparseIndex>(2 * m + (plain.low >> 32) % m), 1.0F},
                                 {static_cast<SparseIndex>(3 * m + (plain.low & 0xFFFFFFFF) % m), 1.0F}}));
}

TEST(Encoder, MissingTextsAreTheEmptyValue) {
  const std::string feature =
      "missing_values = [\"NA\", \"?\"]\n[[feature]]\nfield = \"a\"\ncardinality = 1000\n";
  const auto rows = encoded(feature, {"NA", "?", "", "na"});
  EXPECT_EQ(rows[0], four_split_row("", 32));
  EXPECT_EQ(rows[1], four_split_row("", 32));
  EXPECT_EQ(rows[2], four_split_row("", 32));
  EXPECT_EQ(rows[3], four_split_row("na", 32));
}

TEST(Encoder, AFeatureMayHaveMissingTextsOfItsOwn) {
  const std::string toml = R"(missing_values = ["NA"]
[[feature]]
field = "a"
cardinality = 1000
missing_values = ["-1"]
[[feature]]
name = "as the table"
field = "a"
cardinality = 1000
[[feature]]
name = "none"
field = "a"
cardinality = 1000
missing_values = []
)";
  const auto expected = [](std::string_view own, std::string_view tables, std::string_view none) {
    RowEntries entries;
    for (const auto& [block, value] : {std::pair(0, own), std::pair(1, tables), std::pair(2, none)}) {
      for (const auto& [column, one] : four_split_row(value, 32))
        entries.emplace(block * 4 * 32 + column, one);
    }
    return entries;
  };
  const auto rows = encoded(toml, {"-1", "NA", "", "x"});
  EXPECT_EQ(rows[0], expected("", "-1", "-1"));
  EXPECT_EQ(rows[1], expected("NA", "", "NA"));
  EXPECT_EQ(rows[2], expected("", "", ""));
  EXPECT_EQ(rows[3], expected("x", "x", "x"));
}

TEST(Encoder, SkippedMissingValuesSetNoColumn) {
  const auto rows = encoded(R"(missing = "skip"
missing_values = ["NA"]
[[feature]]
field = "a"
cardinality = 1000
[[feature]]
field = "b"
encoding = "one_hot"
buckets = 9
[[feature]]
field = "c"
separator = ","
cardinality = 10
)",
                            {"NA", "NA", "NA", "", "", "", "x", "y", "z"});
  EXPECT_THAT(rows[0], IsEmpty());
  EXPECT_THAT(rows[1], IsEmpty());
  EXPECT_EQ(rows[2].size(), 9u);
}

TEST(Encoder, IgnoredFieldsHaveNoColumnsAndMayBeMissing) {
  const Encoder encoder(
      parse_schema("[[feature]]\nfield = \"gone\"\nencoding = \"ignore\"\n[[feature]]\nfield = "
                   "\"a\"\ncardinality = 1000\n",
                   "s"));
  EXPECT_THAT(encoder.field_names(), ElementsAre("a"));
  EXPECT_EQ(encoded(encoder, {"x"})[0], four_split_row("x", 32));
}

TEST(Encoder, CrossesKeepTheirPartsApart) {
  const std::string toml = "[[feature]]\ncross = [\"a\", \"b\"]\ncardinality = 1000000\n";
  const auto rows = encoded(toml, {"ab", "c", "a", "bc", "", "abc", "abc", "", "x", "x"});
  EXPECT_EQ(rows[0], four_split_row(crossed({"ab", "c"}), 1000));
  EXPECT_EQ(rows[1], four_split_row(crossed({"a", "bc"}), 1000));
  EXPECT_EQ(rows[2], four_split_row(crossed({"", "abc"}), 1000));
  EXPECT_EQ(rows[3], four_split_row(crossed({"abc", ""}), 1000));
  EXPECT_EQ(rows[4], four_split_row(crossed({"x", "x"}), 1000));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[i], rows[j]) << i << " " << j;
  }
}

TEST(Encoder, RepeatedValuesOfOneFieldAddUp) {
  const auto rows = encoded("[[feature]]\nfield = \"a\"\nseparator = \"|\"\ncardinality = 10000\n",
                            {"x|y|x", "x", "x||", "", "|"});
  RowEntries first;
  for (const char* value : {"x", "y", "x"}) add_four_split(first, value, 100);
  EXPECT_EQ(rows[0], first);
  EXPECT_EQ(rows[1], four_split_row("x", 100));
  RowEntries third;
  for (const char* value : {"x", "", ""}) add_four_split(third, value, 100);
  EXPECT_EQ(rows[2], third);
  EXPECT_EQ(rows[3], four_split_row("", 100));
  RowEntries fifth;
  for (const char* value : {"", ""}) add_four_split(fifth, value, 100);
  EXPECT_EQ(rows[4], fifth);
}

TEST(Encoder, EmptyItemsAreLeftOutWhereMissingIsSkipped) {
  const auto rows = encoded(
      "missing_values = [\"NA\"]\n[[feature]]\nfield = \"a\"\nseparator = \"|\"\nmissing = "
      "\"skip\"\ncardinality = 10000\n",
      {"x|NA||y", "NA", "|"});
  RowEntries first;
  for (const char* value : {"x", "y"}) add_four_split(first, value, 100);
  EXPECT_EQ(rows[0], first);
  EXPECT_THAT(rows[1], IsEmpty());
  EXPECT_THAT(rows[2], IsEmpty());
}

TEST(Encoder, ACrossOfListsIsTheirProduct) {
  const auto rows =
      encoded("[[feature]]\ncross = [\"a\", \"b\", \"c\"]\nseparator = \"|\"\ncardinality = 1000000\n",
              {"x|y", "1|2|3", "q", "x", "", "q|q"});
  RowEntries first;
  for (const char* a : {"x", "y"}) {
    for (const char* b : {"1", "2", "3"}) add_four_split(first, crossed({a, b, "q"}), 1000);
  }
  EXPECT_EQ(rows[0], first);
  RowEntries second;
  for (int i = 0; i < 2; ++i) add_four_split(second, crossed({"x", "", "q"}), 1000);
  EXPECT_EQ(rows[1], second);
}

TEST(Encoder, ACrossWithASkippedPartIsNothing) {
  const auto rows = encoded("[[feature]]\ncross = [\"a\", \"b\"]\nmissing = \"skip\"\ncardinality = 1000\n",
                            {"x", "", "", "y", "x", "y"});
  EXPECT_THAT(rows[0], IsEmpty());
  EXPECT_THAT(rows[1], IsEmpty());
  EXPECT_EQ(rows[2], four_split_row(crossed({"x", "y"}), 32));
}

TEST(Encoder, NumbersAreTransformed) {
  const std::string toml = R"([[feature]]
field = "a"
encoding = "numeric"
[[feature]]
field = "b"
encoding = "numeric"
transform = "log1p"
)";
  const auto rows = encoded(toml, {"2.5", "-3", "", "", "-1e-3", "0", "1e30", "1e38"});
  EXPECT_EQ(rows[0], (RowEntries{{0, 2.5F}, {1, static_cast<float>(-std::log1p(3.0))}}));
  EXPECT_THAT(rows[1], IsEmpty());
  EXPECT_EQ(rows[2], (RowEntries{{0, -1e-3F}}));
}

TEST(Encoder, BucketsCloseOnTheLeft) {
  const auto rows = encoded(
      "[[feature]]\nfield = \"a\"\nencoding = \"numeric\"\ntransform = \"bucketize\"\nboundaries = [0, 1.5, "
      "10]\n",
      {"-1e9", "-0.0", "0", "1.4999", "1.5", "9.99", "10", "1e9", ""});
  const std::vector<SparseIndex> want = {0, 1, 1, 1, 2, 2, 3, 3, 4};
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(rows[i], (RowEntries{{want[i], 1.0F}})) << i;
  const auto skipped = encoded(
      "[[feature]]\nfield = \"a\"\nencoding = \"numeric\"\ntransform = \"bucketize\"\nboundaries = "
      "[0]\nmissing = \"skip\"\n",
      {"", "0"});
  EXPECT_THAT(skipped[0], IsEmpty());
  EXPECT_EQ(skipped[1], (RowEntries{{1, 1.0F}}));
}

TEST(Encoder, LabelsAndWeightsBecomeNumbers) {
  const std::string feature = "weight = \"w\"\n[[feature]]\nfield = \"a\"\ncardinality = 10\n";
  const auto targets = [&](const std::string& label, const std::vector<std::string_view>& values) {
    return Encoder(parse_schema("label = " + label + "\n" + feature, "s")).encode({values, 3});
  };
  const CodeBatch number = targets("\"y\"", {"-2.5", "0", "a", "1e3", "0.25", "a"});
  EXPECT_THAT(number.targets, ElementsAre(-2.5F, 1000.0F));
  EXPECT_THAT(number.weights, ElementsAre(0.0F, 0.25F));
  // The form that columns of booleans have in memory.
  const CodeBatch booleans = targets("\"y\"", {"true", "1", "a", "false", "1", "a"});
  EXPECT_THAT(booleans.targets, ElementsAre(1.0F, 0.0F));
  // Numbers closer to 0 than a double can represent.
  const CodeBatch small = targets("\"y\"", {"1e-400", "1", "a", "-2e-9999", "1e-310", "a"});
  EXPECT_THAT(small.targets, ElementsAre(0.0F, 0.0F));
  const CodeBatch binary = targets(R"({ field = "y", positive = ["yes", "1"], negative = ["no"] })",
                                   {"no", "1", "a", "yes", "1", "a", "1", "1", "a"});
  EXPECT_THAT(binary.targets, ElementsAre(0.0F, 1.0F, 1.0F));
  const CodeBatch classes =
      targets(R"({ field = "y", classes = ["c", "a", "b"] })", {"b", "1", "x", "c", "1", "x"});
  EXPECT_THAT(classes.targets, ElementsAre(2.0F, 0.0F));
}

TEST(Encoder, FieldsOfTheSchemaSetTheOrderInMemory) {
  const Encoder listed(parse_schema(
      "fields = [\"b\", \"unused\", \"a\"]\n[[feature]]\nfield = \"a\"\ncardinality = 10\n", "s"));
  EXPECT_THAT(listed.field_names(), ElementsAre("b", "unused", "a"));
  EXPECT_EQ(encoded(listed, {"1", "2", "x"})[0], four_split_row("x", 8));
  const Encoder mentioned(
      parse_schema("label = \"y\"\nweight = \"w\"\n[[feature]]\ncross = [\"b\", \"a\"]\ncardinality = "
                   "9\n[[feature]]\nfield = \"a\"\ncardinality = 9\n",
                   "s"));
  EXPECT_THAT(mentioned.field_names(), ElementsAre("y", "w", "b", "a"));
}

TEST(Encoder, NoRowsGiveNoRows) {
  const Encoder encoder(
      parse_schema("[[feature]]\nfield = \"a\"\nseparator = \",\"\ncardinality = 10\n", "s"));
  EXPECT_EQ(encoder.encode({{}, 1}).num_rows(), 0u);
  EXPECT_EQ(encoder.encode(RowsView{}).num_rows(), 0u);
  EXPECT_EQ(to_csr(encoder.encode(RowsView{}).view()).num_rows, 0);
}

/// Random rows under a schema with every kind of slot, and the matrix worked out directly.
struct RandomTable {
  static constexpr const char* schema = R"(missing_values = ["NA"]
label = "y"
weight = "w"
[[feature]]
field = "user"
cardinality = 500
[[feature]]
field = "shop"
encoding = "one_hot"
buckets = 13
missing = "skip"
[[feature]]
field = "price"
encoding = "numeric"
[[feature]]
field = "tags"
separator = ";"
cardinality = 100
missing = "skip"
[[feature]]
cross = ["user", "shop"]
cardinality = 4294967296
)";
  static constexpr SparseIndex shop_at = 4 * 23;
  static constexpr SparseIndex price_at = shop_at + 13;
  static constexpr SparseIndex tags_at = price_at + 1;
  static constexpr SparseIndex cross_at = tags_at + 4 * 10;

  std::vector<std::string> texts;
  std::vector<RowEntries> rows;

  explicit RandomTable(std::size_t num_rows, unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](std::vector<std::string> from) { return from[random() % from.size()]; };
    for (std::size_t row = 0; row < num_rows; ++row) {
      const std::string user =
          pick({"", "NA", "u1", "\xff\x01", std::string(300, 'u'), std::to_string(random() % 900)});
      const std::string shop = pick({"", "NA", "s1", "s2", std::to_string(random() % 90)});
      const std::string price = pick({"", "NA", "0", "-1.5", "1e3"});
      std::string tags;
      RowEntries entries;
      for (std::size_t count = random() % 4; count > 0; --count) {
        const std::string tag = pick({"", "NA", "t", "t2"});
        tags += (tags.empty() ? "" : ";") + tag;
      }
      texts.insert(texts.end(), {pick({"0", "1"}), pick({"1", "0.5"}), user, shop, price, tags});

      const auto plain = [](const std::string& text) { return text == "NA" ? std::string() : text; };
      add_four_split(entries, plain(user), 23);
      if (!plain(shop).empty()) entries[shop_at + static_cast<SparseIndex>(hash_xxh64(shop) % 13)] += 1;
      if (price == "-1.5") entries[price_at] = -1.5F;
      if (price == "1e3") entries[price_at] = 1000.0F;
      for (std::size_t begin = 0; begin <= tags.size();) {
        const std::size_t end = std::min(tags.find(';', begin), tags.size());
        const std::string tag = tags.substr(begin, end - begin);
        if (!plain(tag).empty()) add_four_split(entries, tag, 10, tags_at);
        begin = end + 1;
      }
      add_four_split(entries, crossed({plain(user), plain(shop)}), 65536, cross_at);
      rows.push_back(entries);
    }
  }
  std::vector<std::string_view> views() const { return {texts.begin(), texts.end()}; }
};

TEST(Encoder, RandomRowsMatchAPlainReading) {
  const Encoder encoder(parse_schema(RandomTable::schema, "schema.toml"));
  for (const std::size_t num_rows : {0, 1, 31, 32, 33, 2000}) {
    const RandomTable table(num_rows, static_cast<unsigned>(num_rows));
    EXPECT_EQ(encoded(encoder, table.views()), table.rows) << num_rows;
  }
}

TEST(Encoder, BatchesGrowByWhatIsAppended) {
  const Encoder encoder(parse_schema(RandomTable::schema, "schema.toml"));
  const RandomTable table(50, 3);
  const auto views = table.views();
  const FieldBinding binding = encoder.bind(encoder.field_names(), "rows", true);
  CodeBatch batch(encoder.layout());
  std::vector<EncodeIssue> issues;
  for (const std::size_t begin : {0, 1, 20, 49}) {
    const std::size_t end = begin == 0 ? 1 : begin == 1 ? 20 : begin == 20 ? 49 : 50;
    encoder.encode({std::span(views).subspan(begin * 6, (end - begin) * 6), 6}, binding, batch, issues);
  }
  EXPECT_THAT(issues, IsEmpty());
  EXPECT_EQ(matrix_rows(batch.view()), table.rows);
}

TEST(Encoder, ThreadsShareOneEncoder) {
  const Encoder encoder(parse_schema(RandomTable::schema, "schema.toml"));
  const RandomTable table(300, 9);
  const auto views = table.views();
  std::vector<std::vector<RowEntries>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) result = encoded(encoder, views);
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, table.rows);
}

}  // namespace
}  // namespace widehash::test
