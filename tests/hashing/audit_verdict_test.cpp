// The verdicts that users see after an audit.
#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/audit.hpp>
#include <widehash/audit_verdict.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::Counts;
using testing::hashed_feature;
using testing::make_table;
using testing::numbered_values;
using testing::schema_of;
using testing::TempDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;

// With few values in wide splits, one pair in a bucket, or a few, is not remarkable.
TEST(AuditVerdict, SoundFeaturesAreNotCalledOutByChance) {
  const std::pair<std::uint64_t, std::size_t> shapes[] = {
      {10000, 2},       {1000000, 5},       {100000000, 10}, {2500000000, 300},
      {4000000000, 20}, {4000000000, 1000}, {64, 60},        {1600000000, 20000}};
  for (const auto& [cardinality, num_values] : shapes) {
    const std::size_t num_tables = std::clamp<std::size_t>(20000 / num_values, 3, 200);
    for (std::size_t t = 0; t < num_tables; ++t) {
      const TempDirectory directory;
      Counts values;
      for (std::size_t i = 0; i < num_values; ++i)
        values.emplace_back(std::to_string(t) + " and " + std::to_string(i), 1);
      const auto audit = audit_table(
          make_table(directory.path(), schema_of({hashed_feature("f", cardinality)}), values), plenty);
      EXPECT_TRUE(judge(audit).is_fine) << cardinality << ", " << num_values << ": " << judge(audit).text;
      EXPECT_GE(audit.expected_fullest_bucket, 1);
    }
  }
}

TEST(AuditVerdict, CodesThatCrowdInOneBucketAreCalledOut) {
  FeatureAudit audit;
  audit.num_values = 1000;
  audit.num_splits = 4;
  audit.cardinality = 1000000;
  audit.width = 1000;
  audit.expected_bucket_pairs = 499.5;
  audit.bucket_pairs_deviation = std::sqrt(499.0);
  audit.splits[2].sharing_pairs = 600;
  EXPECT_TRUE(judge(audit).is_fine);
  audit.splits[2].sharing_pairs = 700;
  EXPECT_EQ(judge(audit).text, "buckets are filled less evenly than chance explains");
}

TEST(AuditVerdict, OneHotReportsHowManyValuesShareAColumn) {
  const auto verdict = [](std::size_t num_values) {
    const TempDirectory directory;
    return judge(
        audit_table(make_table(directory.path(), schema_of({hashed_feature("f", 300, Encoding::one_hot)}),
                               numbered_values(num_values)),
                    plenty));
  };
  EXPECT_EQ(verdict(288).text, "as expected: 4 values per column, which no model can tell apart");
  EXPECT_TRUE(verdict(288).is_fine) << "it is what was planned";
  EXPECT_EQ(verdict(72).text, "as expected");
}

// A schema is frozen: changing it without benefit would cost every dataset, table and model.
TEST(AuditVerdict, ValuesBeyondThePlanThatWouldHaveTheSameColumnsAreFine) {
  const TempDirectory directory;
  const auto audit_of = [&](const Feature& feature, std::size_t num_values) {
    return audit_table(make_table(directory.path(), schema_of({feature}), numbered_values(num_values)),
                       plenty);
  };
  EXPECT_TRUE(judge(audit_of(hashed_feature("f", 4), 60)).is_fine);
  EXPECT_FALSE(judge(audit_of(hashed_feature("f", 4), 65)).is_fine);
  EXPECT_TRUE(judge(audit_of(hashed_feature("f", 4, Encoding::one_hot), 20)).is_fine);
  EXPECT_FALSE(judge(audit_of(hashed_feature("f", 4, Encoding::one_hot), 65)).is_fine);
  Feature of_buckets = hashed_feature("f", 4, Encoding::one_hot);
  of_buckets.buckets = 1000;
  EXPECT_TRUE(judge(audit_of(of_buckets, 600)).is_fine);
}

TEST(AuditVerdict, ValuesBeyondThePlanAreCalledOut) {
  const TempDirectory directory;
  const auto audit = audit_table(
      make_table(directory.path(), schema_of({hashed_feature("f", 100)}), numbered_values(101)), plenty);
  EXPECT_FALSE(judge(audit).is_fine);
  EXPECT_NE(judge(audit).text.find("raise cardinality to 101 or more"), std::string::npos);
}

}  // namespace
}  // namespace widehash
