#include "inspect/label_proposal.hpp"

#include "pipeline/pipeline_kit.hpp"

#include <widehash/error.hpp>

#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// The proposal for a field y with the given number of rows of each value.
LabelProposal proposal_of(std::initializer_list<std::pair<std::string, int>> values) {
  FieldCensus census("y");
  for (const auto& [value, count] : values) {
    for (int i = 0; i < count; ++i) census.add(value);
  }
  return propose_label(census);
}

std::string notes_of(const LabelProposal& proposal) {
  std::string all;
  for (const std::string& note : proposal.notes) all += note + "\n";
  return all;
}

void expect_binary(const LabelProposal& proposal, const std::string& negative, const std::string& positive) {
  EXPECT_EQ(proposal.label.field, "y");
  EXPECT_EQ(proposal.label.kind, LabelKind::binary);
  EXPECT_THAT(proposal.label.negative, ElementsAre(negative));
  EXPECT_THAT(proposal.label.positive, ElementsAre(positive));
  EXPECT_THAT(notes_of(proposal),
              AllOf(HasSubstr("positive is \"" + positive + "\""), HasSubstr("swap them")));
}

TEST(LabelProposal, TwoNumbersAreNegativeAndPositive) {
  expect_binary(proposal_of({{"-1", 1}, {"1", 5}}), "-1", "1");
  expect_binary(proposal_of({{"2", 3}, {"1", 1}}), "1", "2");
  const LabelProposal written_twice = proposal_of({{"1", 1}, {"2", 1}, {"2.0", 1}});
  EXPECT_THAT(written_twice.label.positive, ElementsAre("2", "2.0"));
}

TEST(LabelProposal, ZeroAndOneAreTakenAsTheyAre) {
  EXPECT_EQ(proposal_of({{"0", 3}, {"1", 1}}).label.kind, LabelKind::number);
  EXPECT_EQ(proposal_of({{"0.0", 3}, {"1.0", 1}}).label.kind, LabelKind::number);
  EXPECT_EQ(proposal_of({{"1", 1}, {"0", 3}, {"1.0", 1}}).label.kind, LabelKind::number);
}

TEST(LabelProposal, NumbersThatCountAreClassesInTheirOrder) {
  const LabelProposal found = proposal_of({{"2", 9}, {"0", 1}, {"1", 5}});
  EXPECT_EQ(found.label.kind, LabelKind::classes);
  EXPECT_THAT(found.label.classes, ElementsAre("0", "1", "2"));
  EXPECT_THAT(notes_of(found), AllOf(HasSubstr("--loss softmax"), HasSubstr("--loss mse")));
  EXPECT_EQ(proposal_of({{"5", 1}, {"4", 1}, {"3", 1}, {"2", 1}, {"1", 1}}).label.classes.size(), 5u);
}

TEST(LabelProposal, OtherNumbersAreAmounts) {
  EXPECT_EQ(proposal_of({{"0", 1}, {"1", 1}, {"3", 1}}).label.kind, LabelKind::number);  // without 2
  EXPECT_EQ(proposal_of({{"7", 1}, {"8", 1}, {"9", 1}}).label.kind, LabelKind::number);
  EXPECT_EQ(proposal_of({{"1", 1}, {"2", 1}, {"2.5", 1}}).label.kind, LabelKind::number);
  EXPECT_THAT(notes_of(proposal_of({{"7.5", 1}, {"8", 1}, {"9", 1}})), HasSubstr("--loss mse"));
  FieldCensus many("y");
  for (int i = 0; i < 21; ++i) many.add(std::to_string(i));
  EXPECT_EQ(propose_label(many).label.kind, LabelKind::number);
}

TEST(LabelProposal, TimesAreClassesIfThereAreFew) {
  expect_binary(proposal_of({{"2026-01-02", 3}, {"2026-01-01", 1}}), "2026-01-02", "2026-01-01");
  const LabelProposal three = proposal_of({{"2026-01-02", 3}, {"2026-01-01", 2}, {"2026-01-03", 1}});
  EXPECT_THAT(three.label.classes, ElementsAre("2026-01-02", "2026-01-01", "2026-01-03"));
  FieldCensus many("y");
  for (int i = 0; i < 1200; ++i) many.add(fmt::format("2026-01-02 03:{:02}:{:02}", i / 60, i % 60));
  EXPECT_THAT([&] { propose_label(many); }, testing::ThrowsMessage<ConfigError>(
                                                HasSubstr("label 'y' is a time with 1200 distinct values")));
}

TEST(LabelProposal, NumbersBeyondFloat32AreRefused) {
  EXPECT_THAT(
      [] {
        proposal_of({{"1e39", 1}, {"5", 1}, {"7.5", 1}});
      },
      testing::ThrowsMessage<ConfigError>(HasSubstr("from 5 to 1e+39, beyond the largest float32")));
  EXPECT_THROW(proposal_of({{"-1e39", 1}, {"5", 1}, {"7.5", 1}}), ConfigError);
  EXPECT_EQ(proposal_of({{"3e38", 1}, {"5", 1}, {"7.5", 1}}).label.kind, LabelKind::number);
}

TEST(LabelProposal, WordsSayWhichIsNegative) {
  expect_binary(proposal_of({{"clicked", 9}, {"not clicked", 1}}), "not clicked", "clicked");
  expect_binary(proposal_of({{"yes", 9}, {"no", 1}}), "no", "yes");
  expect_binary(proposal_of({{"False", 1}, {"True", 9}}), "False", "True");
  expect_binary(proposal_of({{"Smoker", 9}, {"non-smoker", 1}}), "non-smoker", "Smoker");
  expect_binary(proposal_of({{"paid", 9}, {"unpaid", 1}}), "unpaid", "paid");
  // Otherwise the rarer value is the positive one.
  expect_binary(proposal_of({{"<=50K", 9}, {">50K", 1}}), "<=50K", ">50K");
}

TEST(LabelProposal, MissingMarkersAreNoClasses) {
  const LabelProposal numbers = proposal_of({{"1", 2}, {"0", 3}, {"NA", 4}, {"", 1}});
  EXPECT_EQ(numbers.label.kind, LabelKind::number);
  EXPECT_THAT(notes_of(numbers),
              AllOf(HasSubstr("5 rows have no value"), HasSubstr("\"NA\""), HasSubstr("--max-bad-rows")));
  expect_binary(proposal_of({{"yes", 2}, {"?", 5}, {"no", 3}}), "no", "yes");
  EXPECT_THAT(proposal_of({{"a", 3}, {"b", 2}, {"c", 1}, {"null", 9}}).label.classes,
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(test::complaint<ConfigError>([] {
                proposal_of({{"a", 3}, {"NA", 2}, {"?", 1}});
              }),
              HasSubstr("text with 3 distinct values, of which \"NA\", \"?\" are taken as missing: neither"));
  EXPECT_THAT(test::complaint<ConfigError>([] {
                proposal_of({{std::string(300, 'a'), 3}, {std::string(300, 'b'), 2}});
              }),
              HasSubstr("text with 2 distinct values, some longer than 256 bytes: neither"));
}

TEST(LabelProposal, ManyNumbersMayMissSome) {
  FieldCensus census("y");
  for (int i = 0; i < 10000; ++i) census.add(i % 10 == 3 ? "NaN" : std::to_string(i) + ".5");
  const LabelProposal found = propose_label(census);
  EXPECT_EQ(found.label.kind, LabelKind::number);
  EXPECT_THAT(notes_of(found), HasSubstr("1000 rows have no value"));
}

}  // namespace
}  // namespace widehash
