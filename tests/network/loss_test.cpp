#include "network/reference.hpp"

#include <widehash/error.hpp>
#include <widehash/loss.hpp>
#include <widehash/threads.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

constexpr std::array kinds{LossKind::logistic, LossKind::mse, LossKind::softmax, LossKind::poisson};

struct Case {
  LossKind kind = LossKind::logistic;
  std::uint32_t outputs = 1;
};
const std::vector<Case> cases{{LossKind::logistic, 1}, {LossKind::logistic, 3}, {LossKind::mse, 1},
                              {LossKind::mse, 4},      {LossKind::softmax, 2},  {LossKind::softmax, 5},
                              {LossKind::poisson, 1},  {LossKind::poisson, 3}};

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = static_cast<double>(random() >> 11) * 0x1p-51 - 2;
  return values;
}

std::vector<float> random_targets(std::size_t rows, std::uint32_t outputs) {
  std::vector<float> targets(rows);
  for (std::size_t row = 0; row < rows; ++row)
    targets[row] = static_cast<float>(row * 7 % std::max(outputs, 2u));
  return targets;
}

double loss_at(LossKind kind, double z, double target) {
  const std::vector<double> outputs{z};
  const std::vector<double> targets{target};
  return loss_sum<double>(kind, 1, outputs, targets, {});
}

TEST(Loss, EqualsTheTextbookWithWeights) {
  for (const auto& [kind, outputs] : cases) {
    const std::size_t rows = 33;
    const auto z = random_values(rows * outputs, 1);
    const auto targets = random_targets(rows, outputs);
    std::vector<float> weights(rows);
    for (std::size_t row = 0; row < rows; ++row) weights[row] = 0.25f * static_cast<float>(row % 5);
    std::vector<double> dense;
    expand_targets(kind, outputs, targets, "t", dense);
    double expected = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = z.begin() + static_cast<std::ptrdiff_t>(row * outputs);
      expected += weights[row] * test::reference_loss(kind, {first, first + outputs}, targets[row]);
    }
    EXPECT_NEAR(loss_sum<double>(kind, outputs, z, dense, weights), expected, 1e-10)
        << to_string(kind) << outputs;
  }
}

TEST(Loss, GradientEqualsFiniteDifferenceOverTheNormaliser) {
  for (const auto& [kind, outputs] : cases) {
    const std::size_t rows = 5;
    auto z = random_values(rows * outputs, 2);
    const std::vector<float> weights{1, 0.5f, 0, 2, 3};
    std::vector<double> dense;
    expand_targets(kind, outputs, random_targets(rows, outputs), "t", dense);
    std::vector<double> deltas(z.size());
    const double loss = loss_and_gradient<double>(kind, outputs, z, dense, weights, 6.5, deltas);
    EXPECT_DOUBLE_EQ(loss, loss_sum<double>(kind, outputs, z, dense, weights));
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double saved = z[i];
      z[i] = saved + 1e-5;
      const double up = loss_sum<double>(kind, outputs, z, dense, weights);
      z[i] = saved - 1e-5;
      const double down = loss_sum<double>(kind, outputs, z, dense, weights);
      z[i] = saved;
      EXPECT_NEAR(deltas[i], (up - down) / 2e-5 / 6.5, 1e-8) << to_string(kind) << outputs << " value " << i;
    }
  }
}

TEST(Loss, DenseTargetsNeedNotBeOneHot) {
  // Softmax against (2, 0, 1) is the sum of three one-hot losses.
  const std::vector<double> z{0.3, -1.2, 0.7};
  const std::vector<double> targets{2, 0, 1};
  const double expected =
      2 * test::reference_loss(LossKind::softmax, z, 0) + test::reference_loss(LossKind::softmax, z, 2);
  EXPECT_NEAR(loss_sum<double>(LossKind::softmax, 3, z, targets, {}), expected, 1e-12);
}

TEST(Loss, ExtremeOutputsNeitherOverflowNorVanish) {
  EXPECT_EQ(loss_at(LossKind::logistic, 1e4, 0), 1e4);
  EXPECT_EQ(loss_at(LossKind::logistic, -1e4, 1), 1e4);
  EXPECT_EQ(loss_at(LossKind::logistic, 1e4, 1), 0);
  EXPECT_NEAR(loss_at(LossKind::logistic, 40, 1) / std::exp(-40.0), 1, 1e-9);
  const std::vector<float> z{3e38f, -3e38f};
  const std::vector<float> wrong{0, 1};
  std::vector<float> deltas(2);
  const double loss = loss_and_gradient<float>(LossKind::softmax, 2, z, wrong, {}, 1, deltas);
  EXPECT_NEAR(loss, 6e38, 1e32);
  EXPECT_EQ(deltas, (std::vector<float>{1, -1}));
}

TEST(Loss, NanAndInfinityShowInTheSum) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const LossKind kind : kinds) {
    for (const std::size_t at : {0, 1}) {
      std::vector<double> z{0.5, 0.5};
      z[at] = nan;
      const std::vector<double> targets{1, 0};
      EXPECT_TRUE(std::isnan(loss_sum<double>(kind, 2, z, targets, {}))) << to_string(kind);
    }
  }
}

TEST(Loss, NormaliserOfZeroGivesZeroGradient) {
  const std::vector<double> z{1};
  const std::vector<double> targets{0};
  std::vector<double> deltas{7};
  loss_and_gradient<double>(LossKind::logistic, 1, z, targets, std::vector<float>{0}, 0, deltas);
  EXPECT_EQ(deltas[0], 0);
}

TEST(Loss, SumHasTheSameBitsForAnyNumberOfThreads) {
  const auto z = random_values(5000, 3);
  std::vector<double> dense;
  expand_targets(LossKind::logistic, 1, random_targets(5000, 1), "t", dense);
  std::vector<double> sums;
  for (const std::size_t threads : {1, 2, 3}) {
    with_threads(threads, [&] { sums.push_back(loss_sum<double>(LossKind::logistic, 1, z, dense, {})); });
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

TEST(Loss, EmptyBatchHasNoLoss) {
  for (const LossKind kind : kinds) EXPECT_EQ(loss_sum<float>(kind, 2, {}, {}, {}), 0);
  EXPECT_EQ(sum_of_weights({}, 0), 0);
  EXPECT_EQ(sum_of_weights({}, 7), 7);
  EXPECT_EQ(sum_of_weights(std::vector<float>{0.5f, 2}, 2), 2.5);
}

TEST(Loss, SizesThatDoNotFitAreRefused) {
  const std::vector<double> three{1, 2, 3};
  const std::vector<double> two{1, 2};
  std::vector<double> deltas(2);
  EXPECT_THROW(loss_sum<double>(LossKind::mse, 1, three, two, {}), ShapeError);
  EXPECT_THROW(loss_sum<double>(LossKind::mse, 2, three, three, {}), ShapeError);
  EXPECT_THROW(loss_sum<double>(LossKind::mse, 1, three, three, std::vector<float>{1, 1}), ShapeError);
  EXPECT_THROW(loss_and_gradient<double>(LossKind::mse, 1, three, three, {}, 1, deltas), ShapeError);
}

TEST(Loss, LinkTurnsOutputsIntoPredictions) {
  std::vector<double> z{0, std::log(3.0)};
  apply_link<double>(LossKind::logistic, 1, z);
  EXPECT_NEAR(z[1], 0.75, 1e-15);
  z = {1000, 1000 + std::log(3.0), -1, -1};
  apply_link<double>(LossKind::softmax, 2, z);
  EXPECT_NEAR(z[0], 0.25, 1e-12);
  EXPECT_NEAR(z[1], 0.75, 1e-12);
  EXPECT_EQ(z[2], 0.5);
  z = {-3, 8};
  apply_link<double>(LossKind::mse, 1, z);
  EXPECT_EQ(z, (std::vector<double>{-3, 8}));
  z = {std::log(12.0), -1000, 1000};
  apply_link<double>(LossKind::poisson, 1, z);
  EXPECT_NEAR(z[0], 12, 1e-13);
  EXPECT_EQ(z[1], 0);
  EXPECT_EQ(z[2], std::numeric_limits<float>::max()) << "a prediction is a float";
}

TEST(Loss, ThatOfCountsIsTheirDeviance) {
  EXPECT_NEAR(loss_at(LossKind::poisson, std::log(3.0), 3), 0, 1e-14);
  EXPECT_NEAR(loss_at(LossKind::poisson, std::log(2.0), 3), 2 * (3 * std::log(1.5) - 1), 1e-14);
  EXPECT_NEAR(loss_at(LossKind::poisson, std::log(0.25), 0), 0.5, 1e-15);
  EXPECT_EQ(loss_at(LossKind::poisson, -800, 0), 0);
}

TEST(Targets, BadTargetsNameBatchAndRow) {
  std::vector<float> dense;
  const auto refused = [&](LossKind kind, std::uint32_t outputs, float target) {
    try {
      expand_targets(kind, outputs, std::vector<float>{1, 0, target}, "train/part-7", dense);
      ADD_FAILURE() << target << " was accepted by " << to_string(kind);
    } catch (const DataError& error) {
      EXPECT_EQ(error.path(), "train/part-7");
      EXPECT_EQ(error.row(), 3u);
    }
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refused(LossKind::logistic, 1, 1.5f);
  refused(LossKind::logistic, 1, -0.1f);
  refused(LossKind::logistic, 1, nan);
  refused(LossKind::mse, 1, nan);
  refused(LossKind::poisson, 1, -0.5f);
  refused(LossKind::poisson, 1, nan);
  refused(LossKind::poisson, 1, std::numeric_limits<float>::infinity());
  refused(LossKind::mse, 1, std::numeric_limits<float>::infinity());
  for (const float target : {3.0f, -1.0f, 0.5f, nan}) {
    for (const LossKind kind : kinds) refused(kind, 3, target);
  }
  EXPECT_THROW(expand_targets(LossKind::softmax, 1, std::vector<float>{0}, "t", dense), ConfigError);
  EXPECT_THROW(expand_targets(LossKind::logistic, 0, std::vector<float>{0}, "t", dense), ConfigError);
}

TEST(Loss, NamesReadBack) {
  for (const LossKind kind : kinds) EXPECT_EQ(parse_loss(to_string(kind)), kind);
  EXPECT_THROW(parse_loss("hinge"), ConfigError);
}

}  // namespace
}  // namespace widehash
