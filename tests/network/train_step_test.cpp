#include "network/batches.hpp"

#include <widehash/error.hpp>
#include <widehash/network.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Rows of two kinds in turn, with targets of opposite signs. Weights above the first layer make its deltas as large as they are.
struct TwoKinds {
  explicit TwoKinds(std::size_t rows) : batch(test::random_batch(test::plain_layout(1, 10'000), rows, 1)) {
    const CodeLayout& layout = batch.layout();
    Architecture architecture;
    architecture.num_columns = layout.num_columns;
    architecture.hidden = {8};
    architecture.activation = ActivationKind::linear;
    architecture.loss = LossKind::mse;
    architecture.active_columns = active_columns(layout);
    network = std::make_unique<Network<float>>(architecture);
    for (auto& tensor : network->parameters().tensors()) std::ranges::fill(tensor.values, 0.0F);
    std::ranges::fill(network->parameters().tail[0].weights, 1e38F);
    const auto codes_a_row = batch.codes.size() / rows;
    for (std::size_t row = 2; row < rows; ++row) {
      std::copy_n(batch.codes.begin() + static_cast<std::ptrdiff_t>(row % 2 * codes_a_row), codes_a_row,
                  batch.codes.begin() + static_cast<std::ptrdiff_t>(row * codes_a_row));
    }
    batch.targets.assign(rows, 0);
    for (std::size_t row = 0; row < rows; ++row) batch.targets[row] = row % 2 == 0 ? 10.0F : -10.0F;
  }

  CodeBatch batch;
  std::unique_ptr<Network<float>> network;
};

TEST(TrainStep, AGradientThatOverflowsWhileEveryDeltaIsFiniteIsFound) {
  // Deltas of +-2e38: those of all rows add up to 0, those of one kind to more than a float holds.
  TwoKinds rows(10);
  Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), rows.network->parameters());
  try {
    rows.network->train_step(rows.batch.view(), optimizer, "batch 3");
    FAIL() << "an infinite gradient was trained on";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("gradient"), std::string::npos) << error.what();
  }
  EXPECT_EQ(optimizer.step(), 0U);
  for (const float weight : rows.network->parameters().first_weights) ASSERT_EQ(weight, 0);
}

TEST(TrainStep, LargeGradientsThatStayFiniteAreTrainedOn) {
  // Deltas of 1e38 and eight set columns: the bound allows no conclusion, a look at the gradient does.
  TwoKinds rows(2);
  std::ranges::fill(rows.network->parameters().tail[0].weights, 1e37F);
  Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), rows.network->parameters());
  rows.network->train_step(rows.batch.view(), optimizer);
  EXPECT_EQ(optimizer.step(), 1U);
}

}  // namespace
}  // namespace widehash
