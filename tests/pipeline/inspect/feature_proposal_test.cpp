// The features that are proposed for a field.
#include "inspect/feature_proposal.hpp"

#include "inspect/schema_proposal.hpp"
#include "pipeline/inspect_kit.hpp"

#include <widehash/time_column.hpp>

#include <cmath>

#include <fmt/format.h>

namespace widehash::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The features proposed for a field `x` of these values, by name and encoding.
std::vector<std::string> features_of(const std::vector<std::string>& values) {
  FieldCensus census("x");
  for (const std::string& value : values) census.add(value);
  std::vector<std::string> found;
  for (const FeatureProposal& proposal : propose_features(census, census.report(), values.size())) {
    const Feature& feature = proposal.feature;
    EXPECT_THAT(feature.fields, ElementsAre("x"));
    found.push_back(
        feature.encoding == Encoding::numeric
            ? fmt::format("{}: {} intervals", feature.name, feature.boundaries.size() + 1)
            : fmt::format("{}: {} of {}", feature.name, to_string(feature.encoding), feature.cardinality));
  }
  return found;
}

std::vector<std::string> numbers(std::size_t rows, std::size_t distinct, const char* ending = "") {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(fmt::format("{}{}", i % distinct, ending));
  return values;
}

TEST(FeatureProposal, ManyNumbersAreHashedAndCutIntoIntervals) {
  EXPECT_THAT(features_of(numbers(1000, 17)), ElementsAre("x: four_split of 81", "x interval: 16 intervals"));
  EXPECT_THAT(features_of(numbers(1000, 16)), ElementsAre("x: four_split of 81"));
  EXPECT_THAT(features_of(numbers(1000, 25, ".5")),
              ElementsAre("x: four_split of 81", "x interval: 16 intervals"));
  EXPECT_THAT(features_of(numbers(1000, 500)),
              ElementsAre("x: four_split of 550", "x interval: 16 intervals"))
      << "whole numbers that are rare may be names";
}

TEST(FeatureProposal, MeasuresThatAreRareOneByOneAreIntervalsAlone) {
  EXPECT_THAT(features_of(numbers(1000, 500, ".5")), ElementsAre("x: 16 intervals"));
  EXPECT_THAT(features_of(numbers(1000, 1000)), ElementsAre("x: 16 intervals")) << "nearly unique";
  EXPECT_THAT(features_of(numbers(999, 999)),
              ElementsAre("x: four_split of 1100", "x interval: 16 intervals"));
}

// Times from 2026-01-01 on, `minutes` apart, one per row.
std::vector<std::string> times(std::size_t rows, std::int64_t minutes, bool has_clock = true) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < rows; ++i) {
    char text[max_time_bytes];
    const std::int64_t second = 1767225600 + static_cast<std::int64_t>(i) * minutes * 60;
    const char* const end = write_time_text(second, TimeUnit::second, text);
    values.emplace_back(text, has_clock ? static_cast<std::size_t>(end - text) : 10);
  }
  return values;
}

TEST(FeatureProposal, TimesAreTakenByTheirParts) {
  const std::int64_t day = 24 * 60;
  EXPECT_THAT(features_of(times(1000, 97)),
              ElementsAre("x: ignore of 0", "x hour: four_split of 81", "x weekday: four_split of 49"));
  EXPECT_THAT(features_of(times(3000, 180)),
              ElementsAre("x: ignore of 0", "x hour: four_split of 576", "x weekday: four_split of 49",
                          "x month: four_split of 144"));
  EXPECT_THAT(features_of(times(100, 60)), ElementsAre("x: ignore of 0", "x hour: four_split of 24"));
  EXPECT_THAT(features_of(times(40, day)), ElementsAre("x: four_split of 40", "x weekday: four_split of 7"));
  EXPECT_THAT(features_of(times(6, day, false)), ElementsAre("x: four_split of 6"));
  EXPECT_THAT(
      features_of(times(365, day, false)),
      ElementsAre("x: four_split of 410", "x weekday: four_split of 16", "x month: four_split of 16"));
}

TEST(FeatureProposal, WhatIsNotAllTimesIsText) {
  std::vector<std::string> values = times(1000, 97);
  values[500] = "NULL";
  values[501] = "";
  EXPECT_THAT(features_of(values),
              ElementsAre("x: ignore of 0", "x hour: four_split of 81", "x weekday: four_split of 49"));
  values[502] = "soon";
  EXPECT_THAT(features_of(values), ElementsAre("x: four_split of 1100"));
  EXPECT_THAT(features_of(numbers(1000, 500, "-01-01")), ElementsAre("x: four_split of 550")) << "no years";
}

TEST(FeatureProposal, ListsInTextHaveTheirSeparator) {
  const auto proposed = [](char separator, bool are_numbers) {
    FieldCensus census("x");
    for (int i = 0; i < 3000; ++i) {
      std::string list;
      for (int item = 0; item <= i % 3; ++item)
        list += fmt::format("{}{}{}", item == 0 ? "" : std::string(1, separator), are_numbers ? "" : "t",
                            i * (item + 7) % 61);
      census.add(list);
    }
    return propose_features(census, census.report(), 3000).front().feature;
  };
  EXPECT_EQ(proposed('|', false).separator, "|");
  EXPECT_EQ(proposed(';', false).separator, ";");
  EXPECT_EQ(proposed('|', true).separator, "|") << "of numbers, some of which stand alone";
  EXPECT_EQ(proposed('|', false).cardinality, proposed_cardinality(61, 3000));
  EXPECT_EQ(proposed('/', false).separator, "");
}

TEST(FeatureProposal, FewRowsHaveFewIntervals) {
  EXPECT_EQ(proposed_intervals(0), 4u);
  EXPECT_EQ(proposed_intervals(249), 4u);
  EXPECT_EQ(proposed_intervals(400), 8u);
  EXPECT_EQ(proposed_intervals(800), 16u);
  EXPECT_EQ(proposed_intervals(1'000'000'000), 16u);
}

TEST(FeatureProposal, WhatIsNoColumnOfNumbersIsHashed) {
  std::vector<std::string> values = numbers(1000, 100);
  values[50] = "1e300";  // larger than any float
  EXPECT_EQ(features_of(values).size(), 1u);
  values[50] = "text";
  EXPECT_EQ(features_of(values).size(), 1u);
  values[50] = "NA";
  EXPECT_EQ(features_of(values).size(), 2u) << "missing among numbers";
  std::vector<std::string> mostly_zero(200'000, "0");
  for (std::size_t i = 0; i < 20; ++i) mostly_zero[i * 9973] = fmt::format("{}.5", i);
  EXPECT_THAT(features_of(mostly_zero), Contains(HasSubstr("four_split")));
}

TEST(FeatureProposal, CardinalitiesAreRoundedUpGenerously) {
  EXPECT_EQ(proposed_cardinality(0, 0), 1u);
  EXPECT_EQ(proposed_cardinality(1, 0), 1u);
  EXPECT_EQ(proposed_cardinality(64, 0), 64u);
  EXPECT_EQ(proposed_cardinality(65, 0), 72u);
  EXPECT_EQ(proposed_cardinality(1000, 0), 1100u);
  EXPECT_EQ(proposed_cardinality(1234567, 0), 1400000u);
  for (double distinct = 1; distinct < 1e12; distinct *= 1.7) {
    EXPECT_GE(static_cast<double>(proposed_cardinality(distinct, 0)), std::floor(distinct));
    EXPECT_LE(static_cast<double>(proposed_cardinality(distinct, 0)), distinct * 1.25 + 1);
  }
}

TEST(FeatureProposal, ValuesSeenOftenAreGivenMoreColumns) {
  EXPECT_EQ(proposed_cardinality(1000, 19'999), 1100u);
  EXPECT_EQ(proposed_cardinality(1000, 20'000), 167u * 167);  // one column per 30 rows
  EXPECT_EQ(proposed_cardinality(1000, 1'000'000),
            1100u * 1100);  // 4 per value, with room for more values
  EXPECT_EQ(proposed_cardinality(16'000, 1'000'000'000), 4096u * 4096);
  EXPECT_EQ(proposed_cardinality(12, 1'000'000), 144u);
  EXPECT_EQ(proposed_cardinality(8, 1'000'000), 64u);  // 32 columns, as for 8
  EXPECT_EQ(proposed_cardinality(7, 1'000'000), 49u);
  EXPECT_EQ(proposed_cardinality(16'001, 1'000'000'000), proposed_cardinality(16'001, 0));
}

TEST(FeatureProposal, HashingIsAdvisedForNamesOfManyDigits) {
  std::string text = "id\ty\n";
  for (int i = 0; i < 1500; ++i)
    text += fmt::format("1234567890123456789012345678901234567{:04}\t{}\n", i, i % 2);
  const TempFolder folder;
  write_text_file(folder.file("in.tsv"), text);
  InspectOptions options;
  options.inputs = {folder.file("in.tsv")};
  const InspectReport report = inspect(options);
  EXPECT_EQ(report.schema.features[0].encoding, Encoding::four_split);
  EXPECT_THAT(report.notes, Contains(HasSubstr("'id': nearly every row has its own value")));
  EXPECT_THAT(report.notes, Not(Contains(HasSubstr("only its size"))));
}

TEST(SchemaProposal, MoreValuesThanAHashCanSplitTakeTheLargerOne) {
  for (const double distinct : {1e6, 3.8e9, 5e9, 1e15}) {
    std::vector<FieldCensus> census{FieldCensus("id")};
    census[0].add("a");
    InspectReport report;
    report.rows = 10'000'000'000'000'000;
    report.fields = {census[0].report()};
    report.fields[0].distinct = distinct;
    DialectGuess guess;
    guess.has_header = true;
    propose_schema(guess, {}, census, report);
    const bool is_large = distinct > 4e9;  // including the room
    EXPECT_EQ(report.schema.hash, is_large ? HashKind::xxh3_128 : HashKind::xxh64) << distinct;
    EXPECT_EQ(report.notes.size(), is_large ? 1u : 0u);
  }
}

TEST_F(InspectTest, IntervalsAreProposedThatEncodeTheTable) {
  std::string text = "age\tage interval\tweight\tlabel\n";
  for (int i = 0; i < 900; ++i)
    text +=
        fmt::format("{}\t{}\t{}\t{}\n", i % 50 == 3 ? "NA" : std::to_string(i % 47), i % 20, i % 30, i % 40);
  const InspectReport report = run({text}, "label");
  std::vector<std::string> names;
  for (const Feature& feature : report.schema.features) names.push_back(feature.name);
  EXPECT_THAT(names, ElementsAre("age", "age interval_", "age interval", "age interval interval", "weight",
                                 "weight interval"));
  EXPECT_THAT(report.schema_toml, HasSubstr("0 to 46 in 16 intervals"));
  expect_usable(report);
  EXPECT_EQ(run_transform(report.schema_toml, {folder_.file("in0.tsv")}, folder_.file("out")).rows, 900u);
}

}  // namespace
}  // namespace widehash::test
