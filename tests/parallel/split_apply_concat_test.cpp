#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/optimizer.hpp>
#include <widehash/split_apply_concat.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

std::vector<Device> cpus(std::size_t count) { return std::vector<Device>(count); }

TEST(SplitApplyConcat, EqualsApplyingToTheWhole) {
  std::vector<int> batch(23);
  std::iota(batch.begin(), batch.end(), 0);
  const auto squares = [](std::span<const int> slice) {
    std::vector<long> values;
    for (const int x : slice) values.push_back(long{x} * x);
    return values;
  };
  const std::span<const int> rows(batch);
  for (const std::size_t devices : {1, 2, 3, 4, 30})
    EXPECT_EQ(split_apply_concat(cpus(devices), rows, squares), squares(rows)) << devices;
}

TEST(SplitApplyConcat, TakesPackedBooleans) {
  const std::vector<int> batch{1, 2, 3, 4, 5};
  const auto is_even = [](std::span<const int> slice) {
    std::vector<bool> values;
    for (const int x : slice) values.push_back(x % 2 == 0);
    return values;
  };
  EXPECT_EQ(split_apply_concat(cpus(2), std::span<const int>(batch), is_even),
            (std::vector<bool>{false, true, false, true, false}));
}

TEST(SplitApplyConcat, EmptySlicesAreSlicesToo) {
  const std::vector<int> batch{5};
  const auto counts =
      split_apply_concat(cpus(3), std::span<const int>(batch),
                         [](std::span<const int> slice) { return std::array<std::size_t, 1>{slice.size()}; });
  EXPECT_EQ(counts, (std::vector<std::size_t>{1, 0, 0}));
}

TEST(SplitApplyConcat, CutsEncodedRows) {
  const CodeBatch batch = test::random_batch(test::mixed_layout(), 11, 1);
  const auto targets = split_apply_concat(cpus(4), batch.view(), [](const CodeBatchView& slice) {
    return std::vector<float>(slice.targets.begin(), slice.targets.end());
  });
  EXPECT_TRUE(std::equal(targets.begin(), targets.end(), batch.targets.begin(), batch.targets.end()));
}

TEST(SplitApplyConcat, ThrowsWhatTheFirstSliceThrew) {
  const std::vector<int> batch{1, 2, 3, 4};
  try {
    split_apply_concat(cpus(4), std::span<const int>(batch),
                       [](std::span<const int> slice) -> std::vector<int> {
                         if (slice[0] > 1) throw ConfigError("slice of " + std::to_string(slice[0]));
                         return {};
                       });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "slice of 2");
  }
}

TEST(SplitApplyConcat, FitsAPolynomialOverTwoDevicesAsOverOne) {
  struct Point {
    double x;
    double y;
  };
  std::vector<Point> points;
  for (int i = -20; i <= 20; ++i) points.push_back({i / 20.0, 5 * i * i / 400.0 + 3});
  const auto fit = [&](std::size_t devices) {
    OptimizerSettings adam = default_settings(OptimizerKind::adam);
    adam.learning_rate = 0.1;
    std::array<double, 2> w{};
    std::array<double, 2> m{};
    std::array<double, 2> v{};
    for (std::uint64_t step = 1; step <= 600; ++step) {
      const auto parts = split_apply_concat(
          cpus(devices), std::span<const Point>(points), [&](std::span<const Point> slice) {
            std::array<double, 2> gradient{};
            for (const Point& p : slice) {
              const double error = 2 * (w[0] * p.x * p.x + w[1] - p.y) / static_cast<double>(points.size());
              gradient[0] += error * p.x * p.x;
              gradient[1] += error;
            }
            return gradient;
          });
      std::array<double, 2> gradient{};
      for (std::size_t i = 0; i < parts.size(); ++i) gradient[i % 2] += parts[i];
      update_dense<double>(adam, step, false, w, gradient, {m, v});
    }
    return w;
  };
  const auto one = fit(1);
  const auto two = fit(2);
  EXPECT_NEAR(two[0], 5, 1e-2);
  EXPECT_NEAR(two[1], 3, 1e-2);
  EXPECT_NEAR(one[0], two[0], 1e-9);
  EXPECT_NEAR(one[1], two[1], 1e-9);
}

}  // namespace
}  // namespace widehash
