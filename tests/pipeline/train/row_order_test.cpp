#include "train/row_order.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<ManifestShard> shards_of(const std::vector<std::uint64_t>& rows, std::uint64_t row_bytes) {
  std::vector<ManifestShard> shards;
  for (const std::uint64_t count : rows) shards.push_back({"part", count, count * row_bytes, 0});
  return shards;
}

std::vector<std::size_t> shard_order(const std::vector<RowWindow>& windows) {
  std::vector<std::size_t> order;
  for (const RowWindow& window : windows)
    order.insert(order.end(), window.shards.begin(), window.shards.end());
  return order;
}

TEST(RowOrder, PermutationsHoldEveryNumberOnce) {
  for (const std::uint64_t count : {0, 1, 2, 31, 32, 33, 1000}) {
    auto order = permutation(count, 7, 3, 1);
    std::sort(order.begin(), order.end());
    std::vector<std::uint64_t> all(count);
    std::iota(all.begin(), all.end(), std::uint64_t{0});
    EXPECT_EQ(order, all);
  }
}

TEST(RowOrder, SeedEpochAndStreamEachChangeThePermutation) {
  std::set<std::vector<std::uint64_t>> seen;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (std::uint64_t epoch = 0; epoch < 4; ++epoch) {
      for (std::uint64_t stream = 0; stream < 4; ++stream) seen.insert(permutation(50, seed, epoch, stream));
    }
  }
  EXPECT_EQ(seen.size(), 64u);
  EXPECT_EQ(permutation(50, 1, 2, 3), permutation(50, 1, 2, 3));
}

TEST(RowOrder, PermutationsAreTheSameOnEveryPlatform) {
  // Frozen, because a resumed training depends on them. The values were computed independently of the library.
  EXPECT_THAT(permutation(8, 1, 0, 1), ElementsAre(7, 6, 4, 2, 5, 0, 1, 3));
}

TEST(RowOrder, EveryPlaceIsEquallyLikely) {
  constexpr int trials = 24000;
  std::array<std::array<int, 4>, 4> seen{};
  for (int trial = 0; trial < trials; ++trial) {
    const auto order = permutation(4, static_cast<std::uint64_t>(trial), 0, 0);
    for (std::size_t i = 0; i < 4; ++i) ++seen[i][order[i]];
  }
  // Six standard deviations of a binomial count.
  for (const auto& place : seen) {
    for (const int count : place) EXPECT_NEAR(count, trials / 4, 6 * 67);
  }
}

TEST(RowOrder, WindowsHoldEveryShardOnceWithinTheirSize) {
  const auto shards = shards_of({5, 0, 7, 3, 100, 1, 4, 4}, 10);
  for (const bool shuffle : {false, true}) {
    for (const std::uint64_t window_bytes : {1, 50, 80, 120, 100000}) {
      const auto windows = row_windows(shards, 3, 1, shuffle, window_bytes);
      auto order = shard_order(windows);
      std::uint64_t first_row = 0;
      for (const RowWindow& window : windows) {
        EXPECT_EQ(window.first_row, first_row);
        std::uint64_t bytes = 0;
        std::uint64_t rows = 0;
        for (const std::size_t shard : window.shards) {
          bytes += shards[shard].bytes;
          rows += shards[shard].rows;
        }
        EXPECT_EQ(window.num_rows, rows);
        EXPECT_TRUE(bytes <= window_bytes || window.shards.size() == 1 || rows == 100 ||
                    bytes == shards[window.shards[0]].bytes);
        first_row += rows;
      }
      EXPECT_EQ(first_row, 124u);
      std::sort(order.begin(), order.end());
      EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    }
  }
}

TEST(RowOrder, WithoutShuffleShardsComeInTheirOrder) {
  const auto windows = row_windows(shards_of({1, 2, 3, 4}, 10), 9, 9, false, 30);
  EXPECT_THAT(shard_order(windows), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(windows.size(), 3u);
}

TEST(RowOrder, EpochsPutShardsInAnotherOrder) {
  const auto shards = shards_of(std::vector<std::uint64_t>(20, 1), 1);
  EXPECT_NE(shard_order(row_windows(shards, 1, 0, true)), shard_order(row_windows(shards, 1, 1, true)));
  EXPECT_NE(shard_order(row_windows(shards, 1, 0, true)), shard_order(row_windows(shards, 2, 0, true)));
}

TEST(RowOrder, NoShardsGiveNoWindows) { EXPECT_THAT(row_windows({}, 1, 1, true), IsEmpty()); }

}  // namespace
}  // namespace widehash
