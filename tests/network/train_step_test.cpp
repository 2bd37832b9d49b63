#include "network/batches.hpp"
#include "network/network_cases.hpp"

#include <widehash/error.hpp>
#include <widehash/network.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::architecture_of;
using test::Case;
using test::classes_of;
using test::gradient_of;
using test::name_of;
using test::shake;

Parameters<float> train_with(std::size_t threads, const Case& c, OptimizerKind kind,
                             std::vector<float>& predictions) {
  const auto layout = test::mixed_layout();
  Network<float> network(architecture_of(*layout, c));
  Optimizer<float> optimizer(default_settings(kind), network.parameters());
  predictions.resize(3000 * c.outputs);
  with_threads(threads, [&] {
    for (std::uint64_t step = 0; step < 3; ++step) {
      network.train_step(test::random_batch(layout, 3000 - step, step, classes_of(c)).view(), optimizer);
    }
    network.predict(test::random_batch(layout, 3000, 9, classes_of(c)).view(), predictions);
  });
  return network.parameters();
}

TEST(TrainStep, TrainingHasTheSameBitsForAnyNumberOfThreads) {
  for (const Case& c : {Case{LossKind::logistic, 1, ActivationKind::relu, {}},
                        Case{LossKind::softmax, 3, ActivationKind::tanh, {8, 5}}}) {
    for (const auto kind : {OptimizerKind::ftrl, OptimizerKind::adam}) {
      std::vector<float> predictions;
      const auto one = train_with(1, c, kind, predictions);
      for (const std::size_t threads : {2, 3}) {
        std::vector<float> others;
        const auto many = train_with(threads, c, kind, others);
        EXPECT_EQ(predictions, others);
        for (std::size_t t = 0; t < one.tensors().size(); ++t) {
          const auto a = one.tensors()[t].values;
          const auto b = many.tensors()[t].values;
          EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << name_of(c) << " tensor " << t;
        }
      }
    }
  }
}

TEST(TrainStep, FewTouchedColumnsTrainAsADensePass) {
  // Batches of one row over many columns take the path of touched columns; the pass by the pieces is dense.
  const auto layout = test::plain_layout(2, 10'000);
  for (const auto kind : {OptimizerKind::ftrl, OptimizerKind::adagrad, OptimizerKind::sgd}) {
    const Case c{LossKind::logistic, 1, ActivationKind::tanh, {3}};
    Network<float> sparse(architecture_of(*layout, c));
    Network<float> dense(architecture_of(*layout, c));
    Optimizer<float> sparse_optimizer(default_settings(kind), sparse.parameters());
    Optimizer<float> dense_optimizer(default_settings(kind), dense.parameters());
    for (std::uint64_t step = 0; step < 10; ++step) {
      const CodeBatch batch = test::random_batch(layout, 1, step);
      sparse.train_step(batch.view(), sparse_optimizer);
      dense_optimizer.update(dense.parameters(), gradient_of(dense, batch.view(), 1), nullptr);
    }
    EXPECT_EQ(sparse.parameters().first_weights, dense.parameters().first_weights);
    EXPECT_EQ(sparse.parameters().tail[0].weights, dense.parameters().tail[0].weights);
  }
}

TEST(TrainStep, BatchWithoutRowsOrWeightMovesNothing) {
  const auto layout = test::mixed_layout();
  for (const auto kind : {OptimizerKind::adam, OptimizerKind::sgd}) {
    Network<float> network(architecture_of(*layout, {LossKind::logistic, 1, ActivationKind::relu, {3}}));
    const auto before = network.parameters().first_weights;
    OptimizerSettings settings = default_settings(kind);
    settings.l2 = 1;
    Optimizer<float> optimizer(settings, network.parameters());
    EXPECT_EQ(network.train_step(test::random_batch(layout, 0, 1).view(), optimizer), 0);
    CodeBatch weightless = test::random_batch(layout, 5, 1);
    weightless.weights.assign(5, 0.0f);
    EXPECT_EQ(network.train_step(weightless.view(), optimizer), 0);
    EXPECT_EQ(network.parameters().first_weights, before);
    EXPECT_EQ(optimizer.step(), 0u);
    network.predict(test::random_batch(layout, 0, 1).view(), std::span<float>{});
  }
}

TEST(TrainStep, LossThatIsNotFiniteStopsBeforeTheParametersMove) {
  const auto layout = test::mixed_layout();
  for (const auto& hidden : {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{3}}) {
    for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(), 3e38f}) {
      Network<float> network(architecture_of(*layout, {LossKind::mse, 1, ActivationKind::relu, hidden}));
      shake(network.parameters());
      const auto before = network.parameters();
      Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), network.parameters());
      CodeBatch batch = test::random_batch(layout, 10, 1);
      batch.numbers[4] = bad;
      try {
        network.train_step(batch.view(), optimizer, "epoch 2, batch 7");
        FAIL() << bad << " was trained on";
      } catch (const DataError& error) {
        EXPECT_EQ(error.path(), "epoch 2, batch 7");
      }
      EXPECT_EQ(network.parameters().first_weights, before.first_weights);
      EXPECT_EQ(network.parameters().first_bias, before.first_bias);
      EXPECT_EQ(optimizer.step(), 0u);
      // The gradient of the bad batch is forgotten: the next batch trains as on a fresh network.
      const CodeBatch good = test::random_batch(layout, 10, 2);
      network.train_step(good.view(), optimizer);
      Network<float> fresh(network.architecture(), before);
      Optimizer<float> fresh_optimizer(optimizer.settings(), fresh.parameters());
      fresh.train_step(good.view(), fresh_optimizer);
      EXPECT_EQ(network.parameters().first_weights, fresh.parameters().first_weights);
    }
  }
}

/// Rows of two kinds in turn, with targets of opposite signs. The weights above the first layer make its
/// deltas large.
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
  // Deltas of +-2e38: over all rows they add up to 0, but over the rows of one kind to more than a float holds.
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
  // Deltas of 1e38 and eight set columns: the bound allows no conclusion, but a look at the gradient does.
  TwoKinds rows(2);
  std::ranges::fill(rows.network->parameters().tail[0].weights, 1e37F);
  Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), rows.network->parameters());
  rows.network->train_step(rows.batch.view(), optimizer);
  EXPECT_EQ(optimizer.step(), 1U);
}

}  // namespace
}  // namespace widehash
