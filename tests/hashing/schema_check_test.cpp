#include "make_table.hpp"

#include <widehash/error.hpp>
#include <widehash/schema.hpp>

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string complaint(const std::string& text) {
  try {
    parse_schema(text, "s.toml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

std::string feature(const std::string& keys) { return "[[feature]]\nfield = \"a\"\n" + keys + "\n"; }

TEST(SchemaCheck, NoFeaturesIsAnError) {
  EXPECT_THAT(complaint(""), HasSubstr("s.toml: no features"));
  EXPECT_THAT(complaint("feature = []"), HasSubstr("no features"));
}

TEST(SchemaCheck, CardinalityIsRequiredWhereItIsUsed) {
  EXPECT_THAT(complaint(feature("")), HasSubstr("s.toml:1: feature \"a\": four_split needs `cardinality`"));
  EXPECT_THAT(complaint(feature("encoding = \"exact\"")), HasSubstr("exact needs `cardinality`"));
  EXPECT_THAT(complaint(feature("encoding = \"one_hot\"")), HasSubstr("or `buckets`"));
  EXPECT_EQ(complaint(feature("encoding = \"one_hot\"\nbuckets = 3")), "");
  EXPECT_EQ(complaint(feature("encoding = \"one_hot\"\ncardinality = 3")), "");
  EXPECT_EQ(complaint(feature("encoding = \"numeric\"")), "");
}

TEST(SchemaCheck, CardinalityEndsWhereTheHashDoes) {
  EXPECT_EQ(complaint(feature("cardinality = 4294967296")), "");
  const std::string message = complaint(feature("cardinality = 4294967297"));
  EXPECT_THAT(message, StartsWith("s.toml:3: feature \"a\": cardinality 4294967297 is above 2^32"));
  EXPECT_THAT(message, HasSubstr("hash = \"xxh3_128\" allows up to 2^58"));
  EXPECT_EQ(complaint("hash = \"xxh3_128\"\n" + feature("cardinality = 288230376151711744")), "");
  EXPECT_THAT(complaint("hash = \"xxh3_128\"\n" + feature("cardinality = 288230376151711745")),
              HasSubstr("above 2^58"));
}

TEST(SchemaCheck, BucketsEndWhereColumnsDo) {
  EXPECT_EQ(complaint(feature("encoding = \"one_hot\"\nbuckets = 2147483647")), "");
  EXPECT_THAT(complaint(feature("encoding = \"one_hot\"\nbuckets = 2147483648")), HasSubstr("s.toml:4: "));
}

TEST(SchemaCheck, KeysMustFitTheEncoding) {
  const char* const cases[][2] = {
      {"cardinality = 9\nbuckets = 3", "'buckets' is only for encoding = \"one_hot\""},
      {"cardinality = 9\nmin_count = 1", "'min_count' is only for encoding = \"exact\""},
      {"cardinality = 9\nmax_values = 9", "'max_values' is only for encoding = \"exact\""},
      {"cardinality = 9\ntransform = \"none\"", "'transform' is only for encoding = \"numeric\""},
      {"cardinality = 9\nboundaries = [1]", "'boundaries' is only for transform = \"bucketize\""},
      {"encoding = \"numeric\"\ncardinality = 9", "'cardinality' is only for hashed features"},
      {"encoding = \"numeric\"\nseparator = \"|\"", "'separator' is only for hashed features"},
      {"encoding = \"numeric\"\nboundaries = [1]", "'boundaries' is only for transform = \"bucketize\""},
  };
  for (const auto& [keys, message] : cases) {
    EXPECT_THAT(complaint(feature(keys)), ::testing::AllOf(StartsWith("s.toml:4: "), HasSubstr(message)));
  }
}

TEST(SchemaCheck, AnIgnoredFeatureMayKeepItsKeys) {
  EXPECT_EQ(complaint(feature("encoding = \"ignore\"\ncardinality = 9\nmin_count = 2\nboundaries = [2, 1]")),
            "");
}

TEST(SchemaCheck, BoundariesAscendAndAreFinite) {
  const std::string start = "encoding = \"numeric\"\ntransform = \"bucketize\"\n";
  EXPECT_EQ(complaint(feature(start + "boundaries = [-1, 0.5]")), "");
  EXPECT_THAT(complaint(feature(start)), HasSubstr("needs `boundaries`"));
  EXPECT_THAT(complaint(feature(start + "boundaries = []")), HasSubstr("needs `boundaries`"));
  EXPECT_THAT(complaint(feature(start + "boundaries = [1, 1]")), HasSubstr("boundary 2 (1) is not above"));
  EXPECT_THAT(complaint(feature(start + "boundaries = [1, nan]")), HasSubstr("boundary 2 is not finite"));
  EXPECT_THAT(complaint(feature(start + "boundaries = [-inf]")), HasSubstr("boundary 1 is not finite"));
}

TEST(SchemaCheck, NamesAreUnique) {
  EXPECT_THAT(complaint(feature("cardinality = 9") + feature("cardinality = 8")),
              HasSubstr("s.toml:4: a second feature called \"a\""));
  EXPECT_EQ(complaint(feature("cardinality = 9") + feature("cardinality = 8\nname = \"again\"")), "");
  EXPECT_THAT(complaint(feature("cardinality = 9\nname = \"\"")), HasSubstr("empty name"));
}

TEST(SchemaCheck, ListsHoldNothingTwice) {
  const std::string one = feature("cardinality = 9");
  EXPECT_THAT(complaint("fields = [\"a\", \"a\"]\n" + one),
              HasSubstr("s.toml:1: \"a\" is in `fields` twice"));
  EXPECT_THAT(complaint("missing_values = [\"NA\", \"NA\"]\n" + one), HasSubstr("twice"));
  EXPECT_THAT(complaint("label = { field = \"y\", classes = [\"u\", \"u\"] }\n" + one), HasSubstr("twice"));
}

TEST(SchemaCheck, LabelsMakeSense) {
  const std::string one = feature("cardinality = 9");
  EXPECT_THAT(complaint("label = \"a\"\n" + one), HasSubstr("label's field \"a\" is also a feature"));
  EXPECT_EQ(complaint("label = \"a\"\n" + feature("encoding = \"ignore\"\nname = \"z\"") +
                      "[[feature]]\nfield = \"b\"\ncardinality = 3\n"),
            "");
  EXPECT_THAT(complaint("label = \"\"\n" + one), HasSubstr("'label' is empty"));
  EXPECT_THAT(complaint("label = {}\n" + one), HasSubstr("needs `field`"));
  EXPECT_THAT(complaint("label = { field = \"y\", positive = \"1\" }\n" + one), HasSubstr("needs both"));
  EXPECT_THAT(complaint("label = { field = \"y\", positive = \"1\", negative = \"1\" }\n" + one),
              HasSubstr("both positive and negative"));
  EXPECT_THAT(complaint("label = { field = \"y\", positive = \"1\", classes = [\"0\", \"1\"] }\n" + one),
              HasSubstr("either"));
  EXPECT_THAT(complaint("label = { field = \"y\", classes = [\"0\"] }\n" + one), HasSubstr("two values"));
  EXPECT_THAT(complaint("label = \"y\"\nweight = \"y\"\n" + one),
              HasSubstr("s.toml:2: the weight and the label"));
}

TEST(SchemaCheck, FieldsMustBeAmongTheListed) {
  const std::string fields = "fields = [\"carrier\", \"late\"]\n";
  EXPECT_THAT(complaint(fields + "[[feature]]\nfield = \"carier\"\ncardinality = 3\n"),
              HasSubstr("s.toml:3: \"carier\" is not in `fields`; did you mean 'carrier'?"));
  EXPECT_THAT(complaint(fields + "label = \"lat\"\n[[feature]]\nfield = \"carrier\"\ncardinality = 3\n"),
              HasSubstr("s.toml:2: \"lat\""));
  EXPECT_THAT(complaint(fields + "weight = \"w\"\n[[feature]]\nfield = \"carrier\"\ncardinality = 3\n"),
              HasSubstr("s.toml:2: \"w\""));
}

TEST(SchemaCheck, DialectsMakeSense) {
  const std::string one = feature("cardinality = 9");
  EXPECT_THAT(complaint("header = false\n" + one), HasSubstr("header = false needs `fields`"));
  EXPECT_THAT(complaint("delimiter = \"\\n\"\n" + one), HasSubstr("does not end lines"));
  EXPECT_THAT(complaint("quote = \"\\t\"\n" + one), HasSubstr("the same character"));
  EXPECT_THAT(complaint("quote = \" \"\ntrim = true\n" + one), HasSubstr("the spaces that are the quote"));
  EXPECT_EQ(complaint("quote = \" \"\n" + one), "");
  EXPECT_THAT(complaint("max_field_bytes = 16777217\n" + one), HasSubstr("16 MiB"));
  EXPECT_THAT(complaint(feature("cardinality = 9\nseparator = \"\\t\"")), HasSubstr("is the delimiter"));
  EXPECT_EQ(complaint("format = \"csv\"\n" + feature("cardinality = 9\nseparator = \",\"")), "");
}

TEST(SchemaCheck, NumericTakesOneField) {
  EXPECT_THAT(complaint("[[feature]]\ncross = [\"a\", \"b\"]\nencoding = \"numeric\"\n"),
              HasSubstr("a cross is not a number"));
}

TEST(SchemaCheck, PartsOfTimesFitTheirFormatAndFeature) {
  const std::string hour = "[[feature]]\nfield = \"a\"\ncardinality = 9\ntime_part = \"hour\"\n";
  EXPECT_THAT(complaint(hour + "separator = \"|\"\n"), HasSubstr("has a single value; remove `separator`"));
  EXPECT_THAT(complaint(hour + "time_format = \"%Y-%m-%d\"\n"), HasSubstr("have no hour"));
  EXPECT_THAT(complaint(hour + "time_format = \"ISO\"\n"),
              HasSubstr("5: feature \"a hour\": time_format is \"ISO\""));
  EXPECT_THAT(complaint("[[feature]]\nfield = \"a\"\ncardinality = 9\ntime_format = \"unix\"\n"),
              HasSubstr("`time_format` needs `time_part`"));
  EXPECT_THAT(complaint("[[feature]]\nfield = \"a\"\ncardinality = 9\ntime_part = \"\"\n"),
              HasSubstr("`time_part` is empty"));
  EXPECT_THAT(complaint("[[feature]]\nfield = \"b\"\nencoding = \"ignore\"\ntime_part = \"hour\"\n"
                        "time_format = \"gone\"\n" +
                        hour),
              "");
}

TEST(SchemaCheck, SchemasBuiltInCodeAreCheckedToo) {
  using Change = std::function<void(Schema&)>;
  const Schema good = testing::schema_of({testing::hashed_feature("a", 10)});
  EXPECT_NO_THROW(check_schema(good, "code"));
  const Change changes[] = {
      [](Schema& s) { s.features.clear(); },
      [](Schema& s) { s.features[0].fields.clear(); },
      [](Schema& s) { s.features[0].cardinality = 0; },
      [](Schema& s) { s.features[0].name = "\xFF"; },
      [](Schema& s) { s.features[0].fields[0] = "\xED\xA0\x80"; },  // a surrogate
      [](Schema& s) { s.features[0].separator = "ab"; },
      [](Schema& s) { s.features[0].boundaries = {1}; },
      [](Schema& s) { s.features[0].time_format = "unix"; },
      [](Schema& s) { s.features[0].time_parts = {static_cast<TimePart>(7)}; },
      [](Schema& s) { s.features[0].time_parts = {TimePart::none}; },
      [](Schema& s) {
        s.features[0].time_parts = {TimePart::day, TimePart::hour};
      },
      [](Schema& s) { s.features[0].min_count = 0; },
      [](Schema& s) { s.seed = std::numeric_limits<std::uint64_t>::max(); },
      [](Schema& s) { s.delimiter = '\xE9'; },
      [](Schema& s) { s.max_field_bytes = 0; },
      [](Schema& s) { s.format = static_cast<Format>(2); },
      [](Schema& s) { s.hash = static_cast<HashKind>(-1); },
      [](Schema& s) { s.missing = static_cast<Missing>(2); },
      [](Schema& s) { s.label.kind = static_cast<LabelKind>(3); },
      [](Schema& s) { s.features[0].encoding = static_cast<Encoding>(77); },
      [](Schema& s) { s.features[0].missing = static_cast<Missing>(9); },
      [](Schema& s) { s.features[0].transform = static_cast<NumericTransform>(4); },
      [](Schema& s) {
        s.label.classes = {"a", "b"};
      },
      [](Schema& s) {
        s.label = {.field = "y", .kind = LabelKind::number, .classes = {"a", "b"}};
      },
  };
  for (const auto& change : changes) {
    Schema bad = good;
    change(bad);
    EXPECT_THROW(check_schema(bad, "code"), ConfigError) << "change " << (&change - changes);
  }
}

}  // namespace
}  // namespace widehash
