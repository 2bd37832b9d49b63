#include "run_set.hpp"

#include "temp_directory.hpp"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

using Key = std::tuple<ValueHash, std::string>;
using Counts = std::map<Key, std::uint64_t>;

constexpr std::size_t num_features = 3;

/// Draws few hashes for many values, so that the bytes must settle the order, and lengths both shorter and
/// longer than the cursors' buffer.
Key random_key(std::mt19937& random) {
  std::string value(random() % 2 == 0 ? random() % 6 : 60 + random() % 200, 'v');
  if (!value.empty()) value.back() = static_cast<char>('a' + random() % 3);
  return {ValueHash{random() % 3, random() % 2}, value};
}

void append_all(Run& run, const Counts& counts, std::span<std::byte> scratch) {
  for (const auto& [key, count] : counts) {
    const auto& [hash, value] = key;
    run.append({.hash = hash,
                .count = count,
                .length = static_cast<std::uint32_t>(value.size()),
                .bytes = value.data()},
               scratch);
  }
}

void expect_same_as_a_map(std::size_t fan_in, std::size_t num_runs) {
  const widehash::testing::TempDirectory directory;
  std::vector<std::byte> scratch(37);  // smaller than some values, which are then copied in pieces
  RunSet runs(directory.path(), num_features, true, fan_in, 64, scratch);
  std::mt19937 random(7);
  std::array<Counts, num_features> expected;
  for (std::size_t i = 0; i < num_runs; ++i) {
    Run run = runs.new_run();
    for (std::size_t feature = 0; feature < num_features; ++feature) {
      if (feature == 1 && i % 3 != 0) continue;  // a feature that some runs do not contain
      Counts counts;
      for (std::size_t k = random() % 20; k > 0; --k) counts[random_key(random)] += 1 + random() % 9;
      run.begin_feature(feature);
      append_all(run, counts, scratch);
      for (const auto& [key, count] : counts) expected[feature][key] += count;
    }
    run.end();
    runs.add(std::move(run));
  }
  EXPECT_EQ(runs.num_added(), num_runs);
  runs.reduce();
  EXPECT_LE(runs.size(), fan_in);
  for (std::size_t feature = 0; feature < num_features; ++feature) {
    auto next = expected[feature].begin();
    runs.for_each(feature, [&](const ValueRecord& record) {
      ASSERT_NE(next, expected[feature].end());
      std::string value;
      record.for_each_piece(scratch, [&](std::string_view part) { value += part; });
      EXPECT_EQ((Key{record.hash, value}), next->first);
      EXPECT_EQ(record.count, next->second);
      ++next;
    });
    EXPECT_EQ(next, expected[feature].end());
  }
  EXPECT_TRUE(directory.files().empty());
}

TEST(RunSet, NoRunsHoldNothing) { expect_same_as_a_map(2, 0); }
TEST(RunSet, OneRunReadsBack) { expect_same_as_a_map(2, 1); }
TEST(RunSet, AsManyRunsAsAMergeTakesReadBack) { expect_same_as_a_map(64, 64); }

TEST(RunSet, MoreRunsThanAMergeTakesAreMergedInLevels) {
  for (const std::size_t fan_in : {2, 3, 5}) {
    for (const std::size_t num_runs : {5, 26, 27, 80}) expect_same_as_a_map(fan_in, num_runs);
  }
}

}  // namespace
}  // namespace widehash::detail
