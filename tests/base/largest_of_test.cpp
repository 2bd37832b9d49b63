#include <widehash/internal/largest_of.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash::detail {
namespace {

TEST(LargestOf, ThoseOfTheLargestMeasuresAreKeptAndOfEqualOnesTheFirst) {
  std::mt19937_64 random(1);
  for (const std::size_t most : {0, 1, 3, 50, 1000}) {
    for (const std::size_t levels : {2, 10, 1'000'000}) {
      std::vector<double> measures(300);
      for (double& measure : measures) measure = static_cast<double>(random() % levels) - 3;
      std::vector<std::size_t> expected(measures.size());
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = i;
      std::ranges::stable_sort(expected,
                               [&](std::size_t a, std::size_t b) { return measures[a] > measures[b]; });
      expected.resize(std::min(most, expected.size()));

      LargestOf<std::size_t> largest(most);
      for (std::size_t i = 0; i < measures.size(); ++i) largest.offer(measures[i], [&] { return i; });
      EXPECT_EQ(largest.take(), expected) << most << " of " << levels << " levels";
      EXPECT_TRUE(largest.take().empty());
    }
  }
}

TEST(LargestOf, ItemsThatAreNotKeptAreNotMade) {
  LargestOf<int> largest(1);
  int made = 0;
  for (const double measure : {5.0, 4.0, 5.0, 6.0}) largest.offer(measure, [&] { return ++made; });
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace widehash::detail
