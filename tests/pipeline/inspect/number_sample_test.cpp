#include "inspect/number_sample.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NumberSample sample_of(const std::vector<double>& numbers) {
  NumberSample sample;
  for (const double number : numbers) sample.add(number);
  return sample;
}

// The share of the numbers in each interval between the boundaries.
std::vector<double> shares(const std::vector<double>& numbers, const std::vector<double>& boundaries) {
  std::vector<double> found(boundaries.size() + 1, 0);
  for (const double number : numbers) {
    const auto interval = std::ranges::upper_bound(boundaries, number) - boundaries.begin();
    found[static_cast<std::size_t>(interval)] += 1 / static_cast<double>(numbers.size());
  }
  return found;
}

TEST(NumberSample, FewNumbersAreCutExactly) {
  EXPECT_THAT(sample_of({}).boundaries(4), IsEmpty());
  EXPECT_THAT(sample_of({7}).boundaries(4), IsEmpty());
  EXPECT_THAT(sample_of({7, 7, 7}).boundaries(4), IsEmpty());
  EXPECT_THAT(sample_of({3, 1, 2, 4}).boundaries(2), ElementsAre(3));
  EXPECT_THAT(sample_of({3, 1, 2, 4}).boundaries(4), ElementsAre(2, 3, 4));
  EXPECT_THAT(sample_of({3, 1, 2, 4}).boundaries(100), ElementsAre(2, 3, 4));
  EXPECT_THAT(sample_of({3, 1, 2, 4}).boundaries(1), IsEmpty());
  EXPECT_THAT(sample_of({-0.0, 0.0, 5, 5}).boundaries(2), ElementsAre(5));
}

TEST(NumberSample, AFrequentNumberLeavesTheIntervalsToTheOthers) {
  std::vector<double> numbers(900, 0.0);
  for (int i = 1; i <= 100; ++i) numbers.push_back(i);
  EXPECT_THAT(sample_of(numbers).boundaries(5), ElementsAre(1, 26, 51, 76));
}

TEST(NumberSample, IntervalsHaveAsManyRowsWhateverTheOrder) {
  constexpr std::size_t size = 300'000;
  std::mt19937_64 source(11);
  std::lognormal_distribution<double> skewed(0, 2);
  std::vector<double> shuffled(size);
  for (double& number : shuffled) number = skewed(source);
  std::vector<double> ascending = shuffled;
  std::ranges::sort(ascending);
  // The numbers in cycles of each period, from 2 rows up.
  std::vector<double> repeated(size);
  for (const std::size_t period : {2U, 16U, 1000U, 1024U, 65536U}) {
    for (std::size_t i = 0; i < size; ++i) repeated[i] = ascending[i % period * (size / period) + i / period];
    const auto boundaries = sample_of(repeated).boundaries(16);
    ASSERT_EQ(boundaries.size(), 15u);
    for (const double share : shares(repeated, boundaries)) EXPECT_NEAR(share, 1.0 / 16, 0.01) << period;
  }
  for (const auto& numbers : {shuffled, ascending}) {
    const auto boundaries = sample_of(numbers).boundaries(16);
    ASSERT_EQ(boundaries.size(), 15u);
    EXPECT_TRUE(std::ranges::is_sorted(boundaries));
    for (const double share : shares(numbers, boundaries)) EXPECT_NEAR(share, 1.0 / 16, 0.025);
  }
}

}  // namespace
}  // namespace widehash::test
