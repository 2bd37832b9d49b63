#include "make_table.hpp"
#include "temp_directory.hpp"

#include <widehash/audit.hpp>
#include <widehash/audit_verdict.hpp>
#include <widehash/cross.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

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
constexpr std::uint64_t little = std::uint64_t{64} << 10;

Buckets code_of(const Schema& schema, const std::string& value) {
  const std::uint32_t width = split_width(schema.features[0].cardinality);
  return schema.hash == HashKind::xxh64 ? four_split(hash_xxh64(value), width)
                                        : four_split(hash_xxh3_128(value), width);
}

TEST(Audit, EmptyTableHasNothingToShare) {
  const TempDirectory directory;
  const auto audit =
      audit_table(make_table(directory.path(), schema_of({hashed_feature("f", 10)}), {}), plenty);
  EXPECT_EQ(audit.num_values, 0u);
  EXPECT_EQ(audit.code_pairs, 0u);
  EXPECT_EQ(audit.expected_code_pairs, 0);
  EXPECT_EQ(audit.splits[0].chi_square, 0);
  EXPECT_TRUE(audit.examples.empty());
}

TEST(Audit, OneValueSharesNothing) {
  const TempDirectory directory;
  const auto audit =
      audit_table(make_table(directory.path(), schema_of({hashed_feature("f", 10)}), {{"a", 9}}), plenty);
  EXPECT_EQ(audit.code_pairs, 0u);
  EXPECT_EQ(audit.splits[3].used_buckets, 1u);
  EXPECT_EQ(audit.splits[3].fullest_bucket, 1u);
  EXPECT_DOUBLE_EQ(audit.load, 0.1);
}

TEST(Audit, KnownCollisionsAreFoundAndShown) {
  // Width 8 gives 4096 codes, so some of a few hundred values share a code.
  const Schema schema = schema_of({hashed_feature("f", 10)});
  std::map<Buckets, std::string> first_of;
  std::string left, right, alone;
  for (int i = 0; left.empty(); ++i) {
    const std::string value = "v" + std::to_string(i);
    const auto [found, is_new] = first_of.emplace(code_of(schema, value), value);
    if (!is_new) {
      left = found->second;
      right = value;
    }
  }
  for (int i = 0; alone.empty(); ++i) {
    const std::string value = "w" + std::to_string(i);
    if (code_of(schema, value) != code_of(schema, left)) alone = value;
  }
  const TempDirectory directory;
  const auto audit =
      audit_table(make_table(directory.path(), schema, {{left, 2}, {right, 30}, {alone, 100}}), plenty);
  EXPECT_EQ(audit.code_pairs, 1u);
  EXPECT_EQ(audit.colliding_values, 2u);
  EXPECT_EQ(audit.examples, (std::vector<std::vector<std::string>>{{right, left}}));
}

/// Counts the buckets in use, of which all splits but the first have one that the others determine.
std::uint64_t free_directions(const std::vector<Buckets>& codes) {
  std::uint64_t directions = 1;
  for (std::size_t k = 0; k < num_splits; ++k) {
    std::set<std::uint32_t> used;
    for (const Buckets& code : codes) used.insert(code[k]);
    directions += used.size() - 1;
  }
  return std::min<std::uint64_t>(directions, codes.size());
}

/// Expects the figures that result from comparing every value with every other.
void expect_as_brute_force(const FeatureAudit& audit, const Schema& schema, const Counts& values) {
  std::vector<Buckets> codes;
  for (const auto& [value, count] : values) codes.push_back(code_of(schema, value));
  std::uint64_t code_pairs = 0;
  std::array<std::uint64_t, num_splits> bucket_pairs{};
  std::set<std::size_t> colliding;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (std::size_t j = i + 1; j < codes.size(); ++j) {
      if (codes[i] == codes[j]) {
        ++code_pairs;
        colliding.insert({i, j});
      }
      for (std::size_t k = 0; k < num_splits; ++k) bucket_pairs[k] += codes[i][k] == codes[j][k] ? 1 : 0;
    }
  }
  EXPECT_EQ(audit.code_pairs, code_pairs);
  EXPECT_EQ(audit.colliding_values, colliding.size());
  EXPECT_EQ(audit.free_directions, free_directions(codes));
  const double range = schema.hash == HashKind::xxh64 ? 65536 : 4294967296;
  for (std::size_t k = 0; k < num_splits; ++k) {
    EXPECT_EQ(audit.splits[k].sharing_pairs, static_cast<double>(bucket_pairs[k]));
    std::vector<std::uint64_t> loads(audit.width);
    for (const auto& code : codes) ++loads[code[k]];
    double chi_square = 0;
    for (std::uint32_t b = 0; b < audit.width; ++b) {
      const double numbers_of_b = std::floor((range - 1 - b) / audit.width) + 1;
      const double expected = static_cast<double>(values.size()) * numbers_of_b / range;
      chi_square += std::pow(static_cast<double>(loads[b]) - expected, 2) / expected;
    }
    EXPECT_NEAR(audit.splits[k].chi_square, chi_square, 1e-9 * chi_square);
    EXPECT_EQ(audit.splits[k].fullest_bucket, *std::max_element(loads.begin(), loads.end()));
    EXPECT_EQ(audit.splits[k].used_buckets,
              audit.width - static_cast<std::uint64_t>(std::count(loads.begin(), loads.end(), 0u)));
  }
}

TEST(Audit, AgreesWithBruteForce) {
  for (const HashKind kind : {HashKind::xxh64, HashKind::xxh3_128}) {
    for (const std::uint64_t cardinality : {10u, 500u, 100000u}) {
      const Schema schema = schema_of({hashed_feature("f", cardinality)}, kind);
      const Counts values = numbered_values(2000);
      const TempDirectory directory;
      expect_as_brute_force(audit_table(make_table(directory.path(), schema, values), plenty), schema,
                            values);
    }
  }
}

TEST(Audit, ExpectationsAreTheSumOverAllBuckets) {
  const TempDirectory directory;
  for (const std::uint64_t cardinality : {10u, 1000u, 90000u, 4000000000u}) {
    const auto audit = audit_table(
        make_table(directory.path(), schema_of({hashed_feature("f", cardinality)}), numbered_values(100)),
        plenty);
    std::vector<double> probability(audit.width);
    for (std::uint32_t part = 0; part < 65536; ++part) probability[part % audit.width] += 1.0 / 65536;
    double squares = 0;
    for (const double p : probability) squares += p * p;
    const auto [low, high] = std::minmax_element(probability.begin(), probability.end());
    EXPECT_NEAR(audit.expected_bucket_pairs, 4950 * squares, 1e-9 * 4950 * squares);
    EXPECT_NEAR(audit.expected_code_pairs, 4950 * std::pow(squares, 4), 1e-9 * 4950 * std::pow(squares, 4));
    EXPECT_NEAR(audit.modulo_bias, *high / *low - 1, 1e-9);
    EXPECT_NEAR(
        audit.expected_fullest_bucket,
        std::max(1.0, 100 * *high + std::sqrt(200 * *high * std::log(static_cast<double>(audit.width)))),
        1e-9);
  }
}

TEST(Audit, SeenPairsAreNearTheExpected) {
  for (const std::uint64_t cardinality : {64u, 2000u}) {
    const TempDirectory directory;
    const auto audit = audit_table(
        make_table(directory.path(), schema_of({hashed_feature("f", cardinality)}), numbered_values(20000)),
        plenty);
    const double expected = audit.expected_code_pairs;
    EXPECT_GT(expected, 40);
    EXPECT_NEAR(static_cast<double>(audit.code_pairs), expected, 5 * std::sqrt(expected));
    for (const auto& split : audit.splits) {
      EXPECT_NEAR(split.sharing_pairs, audit.expected_bucket_pairs,
                  5 * std::sqrt(audit.expected_bucket_pairs));
      const double freedom = audit.width - 1;
      EXPECT_NEAR(split.chi_square, freedom, 5 * std::sqrt(2 * freedom));
      EXPECT_LT(static_cast<double>(split.fullest_bucket), 1.5 * audit.expected_fullest_bucket);
    }
  }
}

TEST(Audit, CanBeStoppedInEveryPartOfItsWork) {
  const TempDirectory directory;
  // Enough values for 8^4 codes that some share a code, so that there are examples to collect.
  const auto table = make_table(directory.path(), schema_of({hashed_feature("f", 1)}), numbered_values(500));
  int parts = 0;
  audit_table(table, plenty, nullptr, [&] { ++parts; });
  EXPECT_GE(parts, 3 + num_splits);
  for (int part = 1; part <= parts; ++part) {
    int left = part;
    EXPECT_THROW(audit_table(table, plenty, nullptr,
                             [&] {
                               if (--left == 0) throw Stopped("as asked");
                             }),
                 Stopped);
  }
}

TEST(Audit, ManyPassesGiveTheSameAsOne) {
  for (const std::uint64_t cardinality : {10u, 900000u, 100000000u}) {
    const TempDirectory directory;
    const LookupTable table =
        make_table(directory.path(), schema_of({hashed_feature("f", cardinality)}), numbered_values(60000));
    const auto one = audit_table(table, plenty);
    const auto many = audit_table(table, little);
    EXPECT_EQ(one.code_pairs, many.code_pairs);
    EXPECT_EQ(one.colliding_values, many.colliding_values);
    EXPECT_EQ(one.examples, many.examples);
    for (std::size_t k = 0; k < num_splits; ++k) {
      EXPECT_EQ(one.splits[k].used_buckets, many.splits[k].used_buckets);
      EXPECT_EQ(one.splits[k].fullest_bucket, many.splits[k].fullest_bucket);
      EXPECT_EQ(one.splits[k].sharing_pairs, many.splits[k].sharing_pairs);
      EXPECT_DOUBLE_EQ(one.splits[k].chi_square, many.splits[k].chi_square);
    }
  }
}

TEST(Audit, ExamplesAreTheMostFrequentGroups) {
  const TempDirectory directory;
  const LookupTable table =
      make_table(directory.path(), schema_of({hashed_feature("f", 10)}), numbered_values(5000));
  std::map<Buckets, std::pair<std::uint64_t, std::uint64_t>> groups;  // values, total count
  for (std::uint64_t i = 0; i < table.num_values(); ++i) {
    auto& [num_values, total] = groups[table.entry(i).code];
    ++num_values;
    total += table.entry(i).count;
  }
  std::vector<std::uint64_t> totals;
  for (const auto& [code, group] : groups) {
    if (group.first > 1) totals.push_back(group.second);
  }
  std::sort(totals.rbegin(), totals.rend());
  const auto audit = audit_table(table, plenty);
  ASSERT_EQ(audit.examples.size(), 8u);
  for (std::size_t g = 0; g < audit.examples.size(); ++g) {
    ASSERT_GE(audit.examples[g].size(), 2u);
    EXPECT_EQ(groups.at(four_split(hash_xxh64(audit.examples[g][0]), 8)).second, totals[g]);
  }
}

TEST(Audit, TheDeviationIsThatOfManyTables) {
  // The buckets have two probabilities: reduced to 40,000 buckets, 65,536 numbers make 25,536 of them twice
  // as likely as the others.
  constexpr std::size_t num_tables = 300;
  constexpr std::size_t num_values = 3000;
  const Schema schema = schema_of({hashed_feature("f", 1600000000)});
  double sum = 0;
  double squares = 0;
  FeatureAudit audit;
  for (std::size_t t = 0; t < num_tables; ++t) {
    const TempDirectory directory;
    Counts values;
    for (std::size_t i = 0; i < num_values; ++i) values.emplace_back(std::to_string(t * num_values + i), 1);
    audit = audit_table(make_table(directory.path(), schema, values), plenty);
    ASSERT_EQ(audit.width, 40000u);
    for (const SplitAudit& split : audit.splits) {
      const double off = split.sharing_pairs - audit.expected_bucket_pairs;
      sum += off;
      squares += off * off;
    }
  }
  constexpr double splits = 4 * num_tables;
  EXPECT_NEAR(sum / splits, 0, 4 * audit.bucket_pairs_deviation / std::sqrt(splits));
  EXPECT_NEAR(std::sqrt(squares / splits) / audit.bucket_pairs_deviation, 1, 0.1);
}

TEST(Audit, OneHotIsAuditedByItsOwnBuckets) {
  const TempDirectory directory;
  Feature feature = hashed_feature("f", 0, Encoding::one_hot);
  feature.buckets = 1000;
  const auto audit =
      audit_table(make_table(directory.path(), schema_of({feature}), numbered_values(5000)), plenty);
  std::map<std::uint64_t, std::uint64_t> loads;
  for (const auto& [value, count] : numbered_values(5000)) ++loads[hash_xxh64(value) % 1000];
  std::uint64_t pairs = 0;
  for (const auto& [bucket, load] : loads) pairs += load * (load - 1) / 2;
  EXPECT_EQ(audit.num_splits, 1);
  EXPECT_EQ(audit.width, 1000u);
  EXPECT_EQ(audit.code_pairs, pairs);
  EXPECT_EQ(audit.splits[0].used_buckets, loads.size());
  EXPECT_NEAR(audit.expected_code_pairs, 5000.0 * 4999 / 2 / 1000, 1e-6);
  EXPECT_EQ(audit.load, 0);
  EXPECT_NEAR(audit.modulo_bias, 0, 1e-12);
  EXPECT_TRUE(judge(audit).is_fine) << judge(audit).text;  // by default 5,000 values have 284 buckets
  feature.buckets = 200;
  const Verdict few =
      judge(audit_table(make_table(directory.path(), schema_of({feature}), numbered_values(5000)), plenty));
  EXPECT_FALSE(few.is_fine);
  EXPECT_EQ(few.text, "25 values per bucket: raise buckets to 284, the default for 5000 values");
  feature.cardinality = 5000;  // planned: both were set deliberately
  EXPECT_TRUE(
      judge(audit_table(make_table(directory.path(), schema_of({feature}), numbered_values(5000)), plenty))
          .is_fine);
}

TEST(Audit, ExamplesOfACrossShowItsParts) {
  const TempDirectory directory;
  Feature cross = hashed_feature("day x place", 10);
  cross.fields = {"day", "place"};
  const Schema schema = schema_of({cross});
  TableBuilder builder(schema, directory.path(), TableBuilder::min_memory_bytes);
  std::set<std::string> texts;
  for (int i = 0; i < 600; ++i) {
    const std::string day = std::to_string(i);
    builder.add(0, cross_value(std::vector<std::string_view>{day, "x"}), 1);
    texts.insert(day + " × x");
  }
  const TableSet set = builder.finish();
  for (const bool has_schema : {true, false}) {
    if (has_schema) write_text_file(directory / "schema.toml", to_toml(schema));
    const auto audits = audit_tables(load_table_set(directory.path()), plenty);
    ASSERT_FALSE(audits.at(0).examples.empty());
    for (const auto& group : audits[0].examples) {
      for (const std::string& value : group) EXPECT_EQ(texts.contains(value), has_schema) << value;
    }
    std::filesystem::remove(directory / "schema.toml");
  }
}

TEST(Audit, ExactFeaturesAreNotJudgedWithoutTheirSchema) {
  const TempDirectory directory;
  const Schema schema = schema_of({hashed_feature("a", 30, Encoding::exact)});
  TableBuilder builder(schema, directory.path(), TableBuilder::min_memory_bytes);
  builder.add(0, "value");
  const TableSet set = builder.finish();
  EXPECT_THROW(audit_tables(set, plenty), ConfigError);
  write_text_file(directory / "schema.toml", to_toml(schema_of({hashed_feature("a", 31, Encoding::exact)})));
  EXPECT_THROW(audit_tables(set, plenty), ConfigError);
  write_text_file(directory / "schema.toml", to_toml(schema));
  EXPECT_EQ(audit_tables(set, plenty).at(0).head_values, 1u);
}

TEST(Audit, OfAnExactFeatureTheTailIsAudited) {
  const TempDirectory directory;
  Feature feature = hashed_feature("f", 300, Encoding::exact);
  feature.min_count = 2;
  feature.max_values = 700;
  // A seventh of the 1400 values was seen only once; of the others, the 700 most frequent have a column.
  const Counts values = numbered_values(1400);
  const LookupTable table = make_table(directory.path(), schema_of({feature}), values);
  const auto audit = audit_table(table, plenty, &feature);
  EXPECT_EQ(audit.head_values, 700u);
  EXPECT_EQ(audit.num_values, 700u);
  Counts tail = values;
  std::ranges::stable_sort(tail, std::greater<>(), [](const auto& value) {
    return std::pair(value.second, ~hash_xxh64(value.first));
  });
  tail.erase(tail.begin(), tail.begin() + 700);
  const TempDirectory other;
  const auto expected =
      audit_table(make_table(other.path(), schema_of({hashed_feature("f", 300)}), tail), plenty);
  EXPECT_EQ(audit.code_pairs, expected.code_pairs);
  EXPECT_EQ(audit.examples, expected.examples);
  EXPECT_DOUBLE_EQ(audit.load, expected.load);
  for (std::size_t k = 0; k < num_splits; ++k) {
    EXPECT_EQ(audit.splits[k].fullest_bucket, expected.splits[k].fullest_bucket);
    EXPECT_DOUBLE_EQ(audit.splits[k].chi_square, expected.splits[k].chi_square);
  }
  EXPECT_FALSE(judge(audit).is_fine);  // 700 values in a tail planned for 300
  feature.max_values = 0;
  EXPECT_EQ(audit_table(table, plenty, &feature).num_values, 200u);
}

}  // namespace
}  // namespace widehash
