#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/network.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widehash {
namespace {

using testing::ElementsAre;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();

template <class Real>
std::vector<Real> outputs_of(const TargetUnits& units, const std::vector<float>& targets) {
  std::vector<Real> outputs(targets.size());
  to_outputs<Real>(units, targets, outputs);
  return outputs;
}

std::vector<float> predictions_of(const TargetUnits& units, std::vector<float> values) {
  to_predictions<float>(units, values);
  return values;
}

TEST(TargetUnits, PlainOnesKeepEveryBit) {
  const std::vector<float> values{-0.0f, 1e-45f, 0.1f, -infinity, std::nanf("")};
  for (const auto& made : {outputs_of<float>({}, values), predictions_of({}, values)}) {
    EXPECT_TRUE(std::signbit(made[0]));
    EXPECT_TRUE(std::equal(made.begin(), made.end() - 1, values.begin()));
    EXPECT_TRUE(std::isnan(made[4]));
  }
}

TEST(TargetUnits, AreTakenInDoubleAndRoundedOnce) {
  const TargetUnits units{1e9 + 0.5, 3};
  // As floats, both 1e9 and the shift are 1e9, so their difference would be 0.
  EXPECT_THAT(outputs_of<float>(units, {1e9f, 1e9f + 64}), ElementsAre(-0.5f / 3, 63.5f / 3));
  EXPECT_THAT(outputs_of<double>(units, {1e9f}), ElementsAre(-0.5 / 3));
  EXPECT_THAT(predictions_of({10, 0.25}, {0, -4, 1e-30f}), ElementsAre(10, 9, 10));
  EXPECT_EQ((TargetUnits{5, 3}).squared(2), 18);
}

TEST(TargetUnits, PredictionsBeyondAllFloatsAreTheLargestAndWhatIsNotFiniteStaysSo) {
  const auto made = predictions_of({1e38, 1e38}, {5, -5, infinity, std::nanf("")});
  EXPECT_EQ(made[0], largest);
  EXPECT_EQ(made[1], -largest);
  EXPECT_EQ(made[2], infinity);
  EXPECT_TRUE(std::isnan(made[3]));
}

TEST(TargetUnits, LeaveClassesAlone) {
  std::vector<double> dense;
  expand_targets<double>(LossKind::mse, 2, std::vector<float>{1, 0}, "batch", dense, {5, 3});
  EXPECT_THAT(dense, ElementsAre(0, 1, 1, 0));
}

/// Expects a network with target units to equal one without units that trains on the converted targets, once
/// losses and predictions are converted back.
template <class Real>
void expect_the_network_of_converted_targets(const std::vector<std::uint32_t>& hidden) {
  const auto layout = test::mixed_layout();
  Architecture plain;
  plain.num_columns = layout->num_columns;
  plain.hidden = hidden;
  plain.loss = LossKind::mse;
  Architecture in_units = plain;
  in_units.target_units = {1000, 64};
  Network<Real> expected(plain);
  Network<Real> network(in_units);
  const OptimizerSettings settings = default_settings(OptimizerKind::adagrad);
  Optimizer<Real> expected_optimizer(settings, expected.parameters());
  Optimizer<Real> optimizer(settings, network.parameters());
  for (std::uint64_t step = 0; step < 20; ++step) {
    CodeBatch batch = test::random_batch(layout, 50, step);
    CodeBatch converted = batch;
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
      // Numbers of few bits, so that no target is rounded.
      batch.targets[i] = static_cast<float>(1000 + 16 * static_cast<int>((i * 7 + step) % 23));
      converted.targets[i] = (batch.targets[i] - 1000) / 64;
    }
    EXPECT_EQ(network.loss(batch.view()), 64 * 64 * expected.loss(converted.view()));
    const double loss = network.train_step(batch.view(), optimizer);
    EXPECT_EQ(loss, 64 * 64 * expected.train_step(converted.view(), expected_optimizer));
    const auto a = network.parameters().tensors();
    const auto b = expected.parameters().tensors();
    for (std::size_t t = 0; t < a.size(); ++t)
      ASSERT_TRUE(std::equal(a[t].values.begin(), a[t].values.end(), b[t].values.begin())) << "tensor " << t;
    std::vector<Real> predictions(batch.targets.size());
    std::vector<Real> expected_predictions(batch.targets.size());
    network.predict(batch.view(), predictions);
    expected.predict(batch.view(), expected_predictions);
    for (std::size_t i = 0; i < predictions.size(); ++i)
      EXPECT_EQ(predictions[i], static_cast<Real>(1000 + 64 * double{expected_predictions[i]}));
  }
}

TEST(TargetUnits, ANetworkInThemIsThatOfConvertedTargetsBitForBit) {
  for (const auto& hidden : {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{4}}) {
    expect_the_network_of_converted_targets<float>(hidden);
    expect_the_network_of_converted_targets<double>(hidden);
  }
}

TEST(TargetUnits, ATargetMatrixIsTheCallersOwn) {
  const auto layout = test::plain_layout(2, 100);
  const CodeBatch batch = test::random_batch(layout, 5, 1);
  Architecture architecture;
  architecture.num_columns = layout->num_columns;
  architecture.loss = LossKind::mse;
  architecture.target_units = {10, 2};
  const Network<double> network(architecture);
  Workspace<double> work;
  network.first_forward(batch.view(), work);
  network.tail_forward(work);
  const std::vector<double> threes(5, 3.0);
  double expected = 0;
  for (const double output : work.outputs()) expected += (output - 3) * (output - 3);
  EXPECT_NEAR(network.loss_and_output_gradient(threes, {}, 5, work), expected, 1e-12);
}

}  // namespace
}  // namespace widehash
