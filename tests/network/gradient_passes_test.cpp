#include "gradient_passes.hpp"

#include <widehash/threads.hpp>

#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

// Around the sizes from which on there are two and three shares.
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

}  // namespace
}  // namespace widehash
