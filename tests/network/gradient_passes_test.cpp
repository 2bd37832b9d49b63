#include "gradient_passes.hpp"

#include <widehash/threads.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

// Sizes around those from which on there are two and three shares.
constexpr std::size_t sizes[] = {0, 1, 4096, 8191, 8192, 8193, 12'288, 20'001};

TEST(GradientPasses, SharesHoldEveryValueOnce) {
  for (const std::size_t threads : {1, 2, 3}) {
    for (const std::size_t size : sizes) {
      std::vector<int> visits(size);
      with_threads(threads, [&] {
        detail::for_each_share(size, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) ++visits[i];
        });
      });
      EXPECT_EQ(visits, std::vector<int>(size, 1)) << threads << " threads";
    }
  }
}

TEST(GradientPasses, ZeroIsEverywhere) {
  for (const std::size_t size : sizes) {
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), 1.0);
    with_threads(3, [&] { detail::fill_zero<double>(values); });
    EXPECT_EQ(values, std::vector<double>(size));
  }
}

TEST(GradientPasses, OneBadValueIsFoundInEveryShare) {
  with_threads(3, [] {
    for (const std::size_t size : sizes) {
      std::vector<float> values(size, 1.5F);
      EXPECT_TRUE(detail::is_finite<float>(values)) << size;
      for (std::size_t at = 0; at < size; at += size < 100 ? 1 : 997) {
        values[at] = std::numeric_limits<float>::infinity();
        EXPECT_FALSE(detail::is_finite<float>(values)) << at << " of " << size;
        values[at] = 1.5F;
      }
    }
  });
}

TEST(GradientPasses, SumsThatCouldOverflowAreNotCalledFinite) {
  constexpr float most = std::numeric_limits<float>::max();
  const auto finite = [](std::vector<float> deltas, std::uint64_t terms) {
    return detail::sums_are_finite<float>(deltas, terms);
  };
  EXPECT_TRUE(finite({}, 0));
  EXPECT_TRUE(finite({0.0F, -0.0F}, std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(finite({1.0F, -1e30F}, 1'000'000));
  EXPECT_FALSE(finite({1.0F, -1e30F}, 1'000'000'000));
  EXPECT_FALSE(finite({most}, 1));
  for (const float bad :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::vector<float> deltas(20, 0.5F);
      EXPECT_TRUE(finite(deltas, 20));
      deltas[at] = bad;
      EXPECT_FALSE(finite(deltas, 1)) << bad;
    }
  }
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    // Tries terms on both sides of the bound. Where finite() returns true, even equal terms added one by one
    // stay finite.
    const std::uint64_t terms = 1 + random() % 5000;
    const float delta =
        most / static_cast<float>(terms) * (0.3F + 0.4F * static_cast<float>(random() % 1000) / 1000);
    float sum = 0;
    for (std::uint64_t i = 0; i < terms; ++i) sum += delta;
    if (finite({delta}, terms)) {
      EXPECT_TRUE(std::isfinite(sum)) << terms << " times " << delta;
    }
  }
}

}  // namespace
}  // namespace widehash
