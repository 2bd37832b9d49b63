#include "make_table.hpp"

#include <widehash/schema.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using ::testing::HasSubstr;

Schema base_schema() {
  Schema schema;
  schema.fields = {"y", "w", "a", "b", "c"};
  schema.label = {.field = "y", .kind = LabelKind::binary, .positive = {"1"}, .negative = {"0"}};
  Feature numeric = testing::hashed_feature("b", 0, Encoding::numeric);
  numeric.transform = NumericTransform::bucketize;
  numeric.boundaries = {1, 2.5};
  schema.features = {testing::hashed_feature("a", 100), numeric,
                     testing::hashed_feature("c", 50, Encoding::exact)};
  return schema;
}

using Change = std::function<void(Schema&)>;

/// Changes to a schema, each of which changes a code, a column or a row.
const std::vector<Change> changes = {
    [](Schema& s) { s.delimiter = ','; },
    [](Schema& s) { s.quote = '"'; },
    [](Schema& s) { s.header = false; },
    [](Schema& s) { s.trim = true; },
    [](Schema& s) { std::swap(s.fields[3], s.fields[4]); },
    [](Schema& s) {
      s.missing_values = {"NA", "?"};
    },
    [](Schema& s) {
      s.missing_values = {"?", "NA"};
    },
    [](Schema& s) { s.missing_values = {"NA\",\"?"}; },
    [](Schema& s) { s.hash = HashKind::xxh3_128; },
    [](Schema& s) { s.seed = 1; },
    [](Schema& s) { s.max_field_bytes = 100; },
    [](Schema& s) { s.features[0].time_parts = {TimePart::hour}; },
    [](Schema& s) { s.features[0].time_parts = {TimePart::day}; },
    [](Schema& s) {
      s.features[0].time_parts = {TimePart::hour};
      s.features[0].time_format = "unix";
    },
    [](Schema& s) { s.label.positive = {"2"}; },
    [](Schema& s) { std::swap(s.label.positive, s.label.negative); },
    [](Schema& s) {
      s.label = {.field = "y", .kind = LabelKind::classes, .classes = {"0", "1"}};
    },
    [](Schema& s) { s.label = {.field = "y"}; },
    [](Schema& s) { s.label = {}; },
    [](Schema& s) { s.weight = "w"; },
    [](Schema& s) { s.features[0].name = "other"; },
    [](Schema& s) {
      s.features[0].fields = {"a", "w"};
    },
    [](Schema& s) { s.features[0].encoding = Encoding::one_hot; },
    [](Schema& s) { s.features[0].encoding = Encoding::ignore; },
    [](Schema& s) { s.features[0].cardinality = 101; },
    [](Schema& s) { s.features[0].missing = Missing::skip; },
    [](Schema& s) { s.features[0].missing_values = {"-1"}; },
    [](Schema& s) {
      s.features[1].missing_values = {"-1", "-2"};
    },
    [](Schema& s) { s.features[0].separator = "|"; },
    [](Schema& s) {
      s.features[1].transform = NumericTransform::log1p;
      s.features[1].boundaries.clear();
    },
    [](Schema& s) {
      s.features[1].boundaries = {1, 3};
    },
    [](Schema& s) { s.features[2].min_count = 2; },
    [](Schema& s) { s.features[2].max_values = 7; },
    [](Schema& s) { s.features.pop_back(); },
    [](Schema& s) { std::swap(s.features[0], s.features[2]); },
};

TEST(SchemaText, EveryChangeChangesTheFingerprint) {
  std::set<std::string> fingerprints = {base_schema().fingerprint()};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Schema schema = base_schema();
    changes[i](schema);
    EXPECT_TRUE(fingerprints.insert(schema.fingerprint()).second) << "change " << i;
  }
}

TEST(SchemaText, EveryChangeIsDescribed) {
  const Schema base = base_schema();
  EXPECT_EQ(describe_difference(base, base), "");
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Schema schema = base;
    changes[i](schema);
    EXPECT_NE(describe_difference(base, schema), "") << "change " << i;
    EXPECT_NE(describe_difference(schema, base), "") << "change " << i;
  }
}

TEST(SchemaText, DifferencesNameSettingAndBothValues) {
  const Schema there = base_schema();
  Schema here = there;
  here.features[0].cardinality = 40;
  EXPECT_EQ(describe_difference(there, here), "feature 'a': cardinality 100 there, 40 here");
  here = there;
  here.features[0].name = "z";
  EXPECT_EQ(describe_difference(there, here), "feature 'a' is only there; feature 'z' is only here");
  here = there;
  std::swap(here.features[0], here.features[1]);
  EXPECT_EQ(describe_difference(there, here), "the features are in a different order");
}

TEST(SchemaText, AListOfMissingTextsLikeTheTablesIsNoOther) {
  Schema same = base_schema();
  same.features[0].missing_values = same.missing_values;
  EXPECT_EQ(same.fingerprint(), base_schema().fingerprint());
  Schema other = base_schema();
  other.features[0].missing_values = {"-1"};
  EXPECT_EQ(describe_difference(base_schema(), other),
            "feature 'a': missing_values of the table there, [\"-1\"] here");
}

TEST(SchemaText, ManyDifferencesAreCut) {
  Schema here = base_schema();
  here.delimiter = ',';
  here.quote = '"';
  here.trim = true;
  here.seed = 3;
  here.header = false;
  here.weight = "w";
  here.max_field_bytes = 9;
  EXPECT_THAT(describe_difference(base_schema(), here), HasSubstr("; and 2 more"));
}

TEST(SchemaText, CommentsOrderAndSpelledOutDefaultsDoNotMatter) {
  const Schema terse = parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 10\n", "a");
  const Schema wordy = parse_schema(R"(# a comment
seed = 0
missing = "value"
format = "csv"
quote = ""
delimiter = "\t"
hash = "xxh64"
[[feature]]
cardinality = 10
missing = "value"
name = "a"
encoding = "four_split"
field = "a"
)",
                                    "b");
  EXPECT_EQ(terse.fingerprint(), wordy.fingerprint());
  EXPECT_EQ(terse.canonical_text(), wordy.canonical_text());
}

TEST(SchemaText, FingerprintNeverChanges) {
  // Datasets, tables and models on disk store the fingerprint.
  EXPECT_EQ(parse_schema("[[feature]]\nfield = \"a\"\ncardinality = 10\n", "s").fingerprint(),
            "a21f4e8ce5b7eecf4e3f7db0292f7229");
}

/// Texts that try to break out of quotes, lists and lines.
std::string odd_text(std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      "a",    "b\"",    "\\",    "\n", "\r\n", "\t", "'",          "#",       "]",
      "\"",   ",",      "=",     " ",  "é",    "漢", "\U0001F600", "\\u0041", std::string(1, '\0'),
      "\x7F", "\u2028", "\uFEFF"};
  std::string text;
  const auto size = random() % 5;
  for (std::size_t i = 0; i < size; ++i) text += pieces[random() % pieces.size()];
  return text;
}

std::vector<std::string> odd_texts(std::mt19937& random, std::size_t least) {
  std::set<std::string> texts;
  const std::size_t size = least + random() % 4;
  while (texts.size() < size) texts.insert(odd_text(random));
  std::vector<std::string> list(texts.begin(), texts.end());
  std::shuffle(list.begin(), list.end(), random);
  return list;
}

Feature random_feature(std::mt19937& random, bool wide) {
  Feature feature;
  feature.fields = {odd_text(random)};
  feature.missing = random() % 2 ? Missing::skip : Missing::value;
  feature.encoding = static_cast<Encoding>(random() % 5);
  if (feature.encoding == Encoding::ignore) feature.missing = Missing::value;
  if (feature.encoding == Encoding::numeric) {
    feature.transform = static_cast<NumericTransform>(random() % 4);
    if (feature.transform == NumericTransform::bucketize) {
      double boundary = -1e18;
      for (std::size_t i = 0; i < 1 + random() % 5; ++i) {
        boundary += std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 40));
        feature.boundaries.push_back(boundary);
      }
    }
    return feature;
  }
  if (random() % 4 == 0) feature.fields = odd_texts(random, 2);
  if (feature.encoding == Encoding::ignore) return feature;
  feature.cardinality = 1 + (wide ? (std::uint64_t{random()} << 26) : random());
  if (feature.encoding == Encoding::one_hot && random() % 2) feature.buckets = 1 + random() % 0x7FFFFFFF;
  if (random() % 3 == 0) feature.missing_values = odd_texts(random, 0);
  if (random() % 3 == 0) feature.separator = std::string(1, "|: \"\\"[random() % 5]);
  if (feature.encoding == Encoding::exact) {
    feature.min_count = 1 + random() % 3;
    feature.max_values = random() % 3;
  }
  return feature;
}

Schema random_schema(std::mt19937& random) {
  Schema schema;
  schema.format = random() % 2 ? Format::csv : Format::tsv;
  schema.delimiter = "\t,;\1\0"[random() % 5];
  schema.quote = "\0\"'"[random() % 3];
  schema.trim = random() % 2;
  schema.missing = random() % 2 ? Missing::skip : Missing::value;
  schema.missing_values = odd_texts(random, 0);
  schema.hash = random() % 2 ? HashKind::xxh3_128 : HashKind::xxh64;
  schema.seed = random();
  schema.max_field_bytes = 1 + random() % 1000;
  if (random() % 2) schema.weight = "w" + odd_text(random);
  switch (random() % 4) {
    case 0:
      schema.label = {.field = "label" + odd_text(random)};
      break;
    case 1:
      schema.label = {.field = "label", .kind = LabelKind::classes, .classes = odd_texts(random, 2)};
      break;
    case 2: {
      auto values = odd_texts(random, 2);
      schema.label = {.field = "label", .kind = LabelKind::binary};
      schema.label.positive = {values.back()};
      values.pop_back();
      schema.label.negative = values;
      break;
    }
    default:
      break;
  }
  const std::size_t num_features = 1 + random() % 4;
  for (std::size_t i = 0; i < num_features; ++i) {
    schema.features.push_back(random_feature(random, schema.hash == HashKind::xxh3_128));
    schema.features.back().name = odd_text(random) + std::to_string(i);
  }
  return schema;
}

TEST(SchemaText, TomlReadsBackToTheSameFingerprint) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    const Schema schema = random_schema(random);
    const std::string toml = to_toml(schema);
    ASSERT_NO_THROW(check_schema(schema, "random")) << toml;
    Schema back;
    ASSERT_NO_THROW(back = parse_schema(toml, "written")) << toml;
    ASSERT_EQ(back.canonical_text(), schema.canonical_text()) << toml;
    ASSERT_EQ(back.format, schema.format);
    ASSERT_EQ(back.missing, schema.missing);
    ASSERT_EQ(to_toml(back), toml);
  }
}

}  // namespace
}  // namespace widehash
