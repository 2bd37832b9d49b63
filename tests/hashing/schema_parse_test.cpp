#include "temp_directory.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/schema.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

const std::string one_feature = "[[feature]]\nfield = \"a\"\ncardinality = 10\n";

Schema parse(const std::string& text) { return parse_schema(text, "schema.toml"); }

/// The message of parse_schema about a faulty text; empty if it accepts the text.
std::string complaint(const std::string& text) {
  try {
    parse(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(SchemaParse, FewestKeysGiveTheDefaults) {
  const Schema schema = parse(one_feature);
  EXPECT_EQ(schema.format, Format::tsv);
  EXPECT_EQ(schema.delimiter, '\t');
  EXPECT_EQ(schema.quote, '\0');
  EXPECT_TRUE(schema.header);
  EXPECT_FALSE(schema.trim);
  EXPECT_EQ(schema.hash, HashKind::xxh64);
  EXPECT_EQ(schema.seed, 0u);
  EXPECT_EQ(schema.max_field_bytes, 1u << 20);
  EXPECT_TRUE(schema.label.field.empty());
  ASSERT_EQ(schema.features.size(), 1u);
  EXPECT_EQ(schema.features[0].name, "a");
  EXPECT_EQ(schema.features[0].encoding, Encoding::four_split);
  EXPECT_EQ(schema.features[0].missing, Missing::value);
  EXPECT_EQ(schema.features[0].max_values, 0u);
}

TEST(SchemaParse, EveryKeyIsRead) {
  const Schema schema = parse(R"(
version = 1
format = "csv"
delimiter = ";"
quote = "'"
header = false
fields = ["y", "w", "a", "b", "c", "d", "e", "f"]
trim = true
missing = "skip"
missing_values = ["NA", "?"]
hash = "xxh3_128"
seed = 9223372036854775807
max_field_bytes = 16777216
label = { field = "y", positive = ">50K", negative = ["<=50K", "less"] }
weight = "w"
[[feature]]
field = "a"
name = "first"
cardinality = 8589934592
missing = "value"
separator = "|"
[[feature]]
cross = ["b", "c"]
encoding = "one_hot"
buckets = 852
[[feature]]
field = "d"
encoding = "exact"
cardinality = 7
min_count = 3
max_values = 1000
missing_values = ["-1"]
[[feature]]
field = "e"
encoding = "numeric"
transform = "bucketize"
boundaries = [1, 2.5, 10]
[[feature]]
field = "f"
encoding = "ignore"
)");
  EXPECT_EQ(schema.format, Format::csv);
  EXPECT_EQ(schema.delimiter, ';');
  EXPECT_EQ(schema.quote, '\'');
  EXPECT_FALSE(schema.header);
  EXPECT_EQ(schema.fields.size(), 8u);
  EXPECT_TRUE(schema.trim);
  EXPECT_THAT(schema.missing_values, ElementsAre("NA", "?"));
  EXPECT_EQ(schema.hash, HashKind::xxh3_128);
  EXPECT_EQ(schema.seed, 9223372036854775807u);
  EXPECT_EQ(schema.max_field_bytes, 16777216u);
  EXPECT_EQ(schema.label.kind, LabelKind::binary);
  EXPECT_THAT(schema.label.positive, ElementsAre(">50K"));
  EXPECT_THAT(schema.label.negative, ElementsAre("<=50K", "less"));
  EXPECT_EQ(schema.weight, "w");
  ASSERT_EQ(schema.features.size(), 5u);
  EXPECT_EQ(schema.features[0].name, "first");
  EXPECT_EQ(schema.features[0].cardinality, std::uint64_t{1} << 33);
  EXPECT_EQ(schema.features[0].missing, Missing::value);
  EXPECT_EQ(schema.features[0].separator, "|");
  EXPECT_EQ(schema.features[1].name, "b x c");
  EXPECT_TRUE(schema.features[1].is_cross());
  EXPECT_EQ(schema.features[1].buckets, 852u);
  EXPECT_EQ(schema.features[1].missing, Missing::skip);
  EXPECT_EQ(schema.features[2].min_count, 3u);
  EXPECT_EQ(schema.features[2].max_values, 1000u);
  EXPECT_THAT(schema.features[2].missing_values, Optional(ElementsAre("-1")));
  EXPECT_EQ(schema.features[3].missing_values, std::nullopt);
  EXPECT_EQ(schema.features[3].transform, NumericTransform::bucketize);
  EXPECT_THAT(schema.features[3].boundaries, ElementsAre(1.0, 2.5, 10.0));
  EXPECT_EQ(schema.features[4].encoding, Encoding::ignore);
}

TEST(SchemaParse, FeaturesTakePartsOfTimes) {
  const Schema schema = parse(
      "[[feature]]\nfield = \"t\"\ntime_part = \"hour\"\ncardinality = 24\n"
      "[[feature]]\ncross = [\"t\", \"t\", \"site\"]\ntime_part = [\"weekday\", \"hour\", \"\"]\n"
      "time_format = \"%d.%m.%Y %H\"\ncardinality = 1000\n");
  EXPECT_EQ(schema.features[0].name, "t hour");
  EXPECT_THAT(schema.features[0].time_parts, ElementsAre(TimePart::hour));
  EXPECT_EQ(schema.features[0].time_format, "iso");
  EXPECT_EQ(schema.features[1].name, "t weekday x t hour x site");
  EXPECT_THAT(schema.features[1].time_parts, ElementsAre(TimePart::weekday, TimePart::hour, TimePart::none));
  EXPECT_EQ(parse_schema(to_toml(schema), "again").fingerprint(), schema.fingerprint());
}

TEST(SchemaParse, PartsOfTimesAreOneAField) {
  const std::string cross = "[[feature]]\ncross = [\"t\", \"site\"]\ncardinality = 9\n";
  EXPECT_THAT(complaint(cross + "time_part = \"hour\"\n"), HasSubstr("1 values, but the cross has 2 fields"));
  EXPECT_THAT(complaint(one_feature + "time_part = [\"hour\", \"day\"]\n"), HasSubstr("one part of a time"));
  EXPECT_THAT(complaint(one_feature + "time_part = \"hours\"\n"), HasSubstr("did you mean 'hour'?"));
}

TEST(SchemaParse, BoundariesMayBeIntegersThatADoubleRounds) {
  const Schema schema = parse(
      "[[feature]]\nfield = \"a\"\nencoding = \"numeric\"\ntransform = \"bucketize\"\n"
      "boundaries = [-9223372036854775808, 9007199254740993, 1700000000123456789]\n");
  EXPECT_THAT(schema.features[0].boundaries,
              ElementsAre(-9223372036854775808.0, 9007199254740992.0, 1700000000123456789.0));
}

TEST(SchemaParse, FormatSetsDelimiterAndQuote) {
  const Schema schema = parse("format = \"csv\"\n" + one_feature);
  EXPECT_EQ(schema.delimiter, ',');
  EXPECT_EQ(schema.quote, '"');
  EXPECT_EQ(parse("format = \"csv\"\nquote = \"\"\n" + one_feature).quote, '\0');
}

TEST(SchemaParse, LabelsHaveThreeKinds) {
  EXPECT_EQ(parse("label = \"y\"\n" + one_feature).label.kind, LabelKind::number);
  EXPECT_EQ(parse("label = { field = \"y\" }\n" + one_feature).label.kind, LabelKind::number);
  const Schema schema = parse("label = { field = \"y\", classes = [\"b\", \"a\"] }\n" + one_feature);
  EXPECT_EQ(schema.label.kind, LabelKind::classes);
  EXPECT_THAT(schema.label.classes, ElementsAre("b", "a"));
}

TEST(SchemaParse, UnknownKeysNameLineAndNearestKey) {
  EXPECT_EQ(complaint("\n[[feature]]\nfield = \"a\"\ncardinallity = 3\n"),
            "schema.toml:4: unknown key 'cardinallity' in [[feature]]; did you mean 'cardinality'?");
  EXPECT_EQ(complaint("sed = 3\n" + one_feature), "schema.toml:1: unknown key 'sed'; did you mean 'seed'?");
  EXPECT_EQ(complaint("label = { field = \"y\", positiv = \"1\" }\n" + one_feature),
            "schema.toml:1: unknown key 'positiv' in label; did you mean 'positive'?");
  EXPECT_EQ(complaint("banana = 3\n" + one_feature), "schema.toml:1: unknown key 'banana'");
}

TEST(SchemaParse, AKeyBelowTheFeaturesIsReportedWithItsPlace) {
  EXPECT_THAT(complaint(one_feature + "label = \"y\"\n"),
              HasSubstr("schema.toml:4: unknown key 'label' in [[feature]]; it "
                        "is a key of the whole schema"));
}

TEST(SchemaParse, SyntaxErrorsCarryLineAndColumn) {
  EXPECT_THAT(complaint("seed = 1\nhash = \n"), ::testing::StartsWith("schema.toml:2:"));
  EXPECT_THAT(complaint("seed = 1\nhash = \n"), HasSubstr("not valid TOML"));
  EXPECT_THAT(complaint("seed = 1\nseed = 2\n"), HasSubstr("schema.toml:2:"));
  EXPECT_THAT(complaint("seed = 9223372036854775808\n" + one_feature), HasSubstr("schema.toml:1:"));
  EXPECT_THAT(complaint("weight = \"\xFF\"\n" + one_feature), HasSubstr("schema.toml:1:"));
}

TEST(SchemaParse, WrongTypesNameTheLine) {
  struct Case {
    const char* line;
    const char* message;
  };
  const Case cases[] = {
      {"seed = \"1\"", "schema.toml:1: 'seed' must be an integer, not a text"},
      {"seed = 1.0", "schema.toml:1: 'seed' must be an integer, not a floating-point number"},
      {"header = 1", "schema.toml:1: 'header' must be true or false, not an integer"},
      {"weight = 3", "schema.toml:1: 'weight' must be a text, not an integer"},
      {"fields = \"a\"", "schema.toml:1: 'fields' must be a list of texts, not a text"},
      {"fields = [\"a\",\n 2]",
       "schema.toml:2: 'fields' must be a list of texts, but item 2 is an integer: put it in quotes"},
      {"label = 1", "schema.toml:1: 'label' must be a field's name or a table"},
      {"feature = 1", "schema.toml:1: features are written as [[feature]]"},
      {"feature = [1]", "schema.toml:1: features are tables"},
  };
  for (const auto& [line, message] : cases) {
    const bool has_feature = std::string(line).starts_with("feature");
    EXPECT_THAT(complaint(std::string(line) + "\n" + (has_feature ? "" : one_feature)), HasSubstr(message))
        << line;
  }
}

TEST(SchemaParse, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(complaint("version = 2\n" + one_feature),
              HasSubstr("schema.toml:1: this is a schema of version 2"));
  EXPECT_THAT(complaint("version = 2\nunheard_of = 1\n" + one_feature), HasSubstr("version 2"));
  EXPECT_THAT(complaint("seed = -1\n" + one_feature),
              HasSubstr("schema.toml:1: 'seed' is -1, but must be at least 0"));
  EXPECT_THAT(complaint("delimiter = \"ab\"\n" + one_feature),
              HasSubstr("'delimiter' must be one ASCII character"));
  EXPECT_THAT(complaint("delimiter = \"\"\n" + one_feature),
              HasSubstr("'delimiter' must be one ASCII character"));
  EXPECT_THAT(complaint("delimiter = \"\u00e9\"\n" + one_feature),
              HasSubstr("'delimiter' must be one ASCII character"));
  EXPECT_THAT(complaint("hash = \"md5\"\n" + one_feature),
              HasSubstr("\"md5\" is not a valid hash. One of: xxh64, xxh3_128"));
  EXPECT_THAT(complaint("hash = \"" + std::string(99, 'z') + "\u00fc and more\"\n" + one_feature),
              HasSubstr(":1: \"" + std::string(99, 'z') + "\"... is not a valid hash"));
  EXPECT_THAT(complaint("hash = \"xxh-64\"\n" + one_feature), HasSubstr("did you mean 'xxh64'?"));
  EXPECT_THAT(complaint("[[feature]]\nfield = \"a\"\ncardinality = 0\n"),
              HasSubstr("schema.toml:3: [[feature]]: 'cardinality' is 0, but must be at least 1"));
  EXPECT_THAT(complaint("[[feature]]\nfield = \"a\"\nencoding = \"one-hot\"\n"),
              HasSubstr("schema.toml:3: \"one-hot\" is not a valid encoding; did you mean 'one_hot'?"));
}

TEST(SchemaParse, FieldAndCrossExcludeEachOther) {
  EXPECT_THAT(complaint("[[feature]]\nfield = \"a\"\ncross = [\"a\", \"b\"]\ncardinality = 3\n"),
              HasSubstr("schema.toml:3: [[feature]]: give exactly one of `field` and `cross`"));
  EXPECT_THAT(complaint("\n[[feature]]\ncardinality = 3\n"),
              HasSubstr("schema.toml:2: [[feature]]: give exactly one of `field` and `cross`"));
  EXPECT_THAT(complaint("[[feature]]\ncross = [\"a\"]\ncardinality = 3\n"), HasSubstr("at least two fields"));
}

TEST(SchemaParse, HostileTextsThrowNothingElse) {
  std::string text =
      "label = { field = \"y\", classes = [\"b\", \"a\"] }\nfields = [\"a\",\"y\"]\n" + one_feature;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    try {
      parse(text.substr(0, cut));
    } catch (const ConfigError&) {
    }
    for (const char byte : {'\0', '[', '"', '=', '\xFF', '9'}) {
      std::string altered = text;
      altered[cut] = byte;
      try {
        parse(altered);
      } catch (const ConfigError&) {
      }
    }
  }
  EXPECT_THROW(parse(std::string(5000, '[')), ConfigError);
}

TEST(SchemaParse, LoadReadsTheFile) {
  const testing::TempDirectory directory;
  write_text_file(directory / "s.toml", one_feature);
  EXPECT_EQ(load_schema(directory / "s.toml").fingerprint(), parse(one_feature).fingerprint());
  EXPECT_THROW(load_schema(directory / "none.toml"), FileError);
}

TEST(SchemaParse, CharactersOutsideAsciiBelongIntoTexts) {
  EXPECT_THAT(complaint("\xCC\xA3v2 = 1\n"), HasSubstr("schema.toml:1:1: not valid TOML:"));
  EXPECT_THAT(complaint("seed = 1 # \xC3\xA4\nf\xC3\xBCr = 1\n"), HasSubstr("schema.toml:2:"));
  EXPECT_THAT(complaint("weight = 'a\' \xC2\xA7\n"), HasSubstr("schema.toml:1:"));
  EXPECT_THAT(complaint("seed = 2\"\xEF\xBB\xB5\"\n"), HasSubstr("schema.toml:1:"));
  EXPECT_THAT(complaint("fields = [1['''{\xC4\xBE"), HasSubstr("schema.toml:1:"));
  const Schema schema = parse(
      "\xEF\xBB\xBF# \xC3\xA4\nlabel = \"\\\"\xC3\xA4\"\nweight = '''\xC3\xA4\n\xC3\xA4''''\n" + one_feature);
  EXPECT_EQ(schema.label.field, "\"\xC3\xA4");
  EXPECT_EQ(schema.weight, "\xC3\xA4\n\xC3\xA4'");
  EXPECT_EQ(parse("label = \"\"\"\\\n  \xC2\xA7\"\"\"\n" + one_feature).label.field, "\xC2\xA7");
}

TEST(SchemaParse, AnyCharacterMayStandWhereNoneBelongs) {
  // toml++ decides by table lookup whether a character is white space or may be part of a key.
  for (std::uint32_t point = 0x80; point < 0x10000; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string character;
    if (point >= 0x800) character += static_cast<char>(0xE0 | point >> 12);
    character += static_cast<char>(point >= 0x800 ? 0x80 | (point >> 6 & 0x3F) : 0xC0 | point >> 6);
    character += static_cast<char>(0x80 | (point & 0x3F));
    for (const std::string& text : {"seed = 1" + character + "\n" + one_feature,
                                    character + " = 1\n" + one_feature, "seed = 1." + character}) {
      try {
        EXPECT_EQ(parse(text).seed, 1);
      } catch (const ConfigError& error) {
        ASSERT_THAT(error.what(), HasSubstr("schema.toml:1:")) << point;
      }
    }
  }
}

}  // namespace
}  // namespace widehash
