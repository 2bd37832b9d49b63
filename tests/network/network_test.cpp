#include "network/batches.hpp"
#include "network/network_cases.hpp"
#include "network/reference.hpp"

#include <widehash/error.hpp>
#include <widehash/network.hpp>
#include <widehash/threads.hpp>

#include <cmath>
#include <limits>
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

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& [loss, outputs] : {std::pair{LossKind::logistic, 1u},
                                      {LossKind::logistic, 3u},
                                      {LossKind::mse, 1u},
                                      {LossKind::mse, 3u},
                                      {LossKind::softmax, 3u},
                                      {LossKind::poisson, 1u}}) {
    cases.push_back({loss, outputs, ActivationKind::relu, {}});
    for (const auto activation :
         {ActivationKind::linear, ActivationKind::relu, ActivationKind::sigmoid, ActivationKind::tanh}) {
      cases.push_back({loss, outputs, activation, {4}});
      cases.push_back({loss, outputs, activation, {4, 3}});
    }
  }
  return cases;
}

TEST(Network, LossAndPredictionsEqualDenseMaths) {
  const auto layout = test::mixed_layout();
  for (const Case& c : all_cases()) {
    for (const std::size_t rows : {1, 33}) {
      const CodeBatch batch = test::random_batch(layout, rows, 4, classes_of(c));
      Network<double> network(architecture_of(*layout, c));
      shake(network.parameters());
      const test::Matrix x{rows, layout->num_columns, test::dense_matrix(batch.view())};
      const test::Matrix z = test::reference_outputs(network.architecture(), network.parameters(), x);
      double expected = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const auto first = z.values.begin() + static_cast<std::ptrdiff_t>(row * c.outputs);
        expected +=
            batch.weights[row] * test::reference_loss(c.loss, {first, first + c.outputs}, batch.targets[row]);
      }
      EXPECT_NEAR(network.loss(batch.view()), expected, 1e-9 * (1 + expected)) << name_of(c);

      std::vector<double> predictions(rows * c.outputs);
      network.predict(batch.view(), predictions);
      std::vector<double> linked = z.values;
      apply_link<double>(c.loss, c.outputs, linked);
      for (std::size_t i = 0; i < linked.size(); ++i)
        EXPECT_NEAR(predictions[i], linked[i], 1e-12) << name_of(c);
    }
  }
}

TEST(Network, GradientsEqualFiniteDifferencesForEveryLossActivationAndDepth) {
  const auto layout = test::mixed_layout();
  for (const Case& c : all_cases()) {
    const CodeBatch batch = test::random_batch(layout, 7, 5, classes_of(c));
    Network<double> network(architecture_of(*layout, c));
    shake(network.parameters());
    const double normaliser = sum_of_weights(batch.weights, 7);
    const auto gradient = gradient_of(network, batch.view(), normaliser);
    const auto gradients = gradient.tensors();
    auto values = network.parameters().tensors();
    for (std::size_t t = 0; t < values.size(); ++t) {
      for (std::size_t i = 0; i < values[t].values.size(); ++i) {
        double& value = values[t].values[i];
        const double saved = value;
        const double h = 1e-6;
        value = saved + h;
        const double up = network.loss(batch.view());
        value = saved - h;
        const double down = network.loss(batch.view());
        value = saved;
        ASSERT_NEAR(gradients[t].values[i], (up - down) / (2 * h * normaliser), 2e-7)
            << name_of(c) << ", tensor " << t << ", value " << i;
      }
    }
  }
}

TEST(Network, FloatFollowsDouble) {
  const auto layout = test::mixed_layout();
  const Case c{LossKind::logistic, 1, ActivationKind::tanh, {6, 4}};
  const CodeBatch batch = test::random_batch(layout, 300, 6);
  Network<float> single(architecture_of(*layout, c));
  Network<double> twice(architecture_of(*layout, c));
  double single_loss = 0;
  double twice_loss = 0;
  const auto single_gradient = gradient_of(single, batch.view(), 300, &single_loss);
  const auto twice_gradient = gradient_of(twice, batch.view(), 300, &twice_loss);
  EXPECT_NEAR(single_loss, twice_loss, 1e-4);
  for (std::size_t t = 0; t < twice_gradient.tensors().size(); ++t) {
    const auto a = single_gradient.tensors()[t].values;
    const auto b = twice_gradient.tensors()[t].values;
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-6);
  }
}

TEST(Network, SlicesOfABatchAddUpToTheBatch) {
  // Data parallelism relies on this: one normaliser, and gradients that are summed.
  const auto layout = test::mixed_layout();
  const Case c{LossKind::softmax, 3, ActivationKind::relu, {4}};
  const CodeBatch batch = test::random_batch(layout, 50, 7, 3);
  const Network<double> network(architecture_of(*layout, c));
  const double normaliser = sum_of_weights(batch.weights, 50);
  double whole_loss = 0;
  const auto whole = gradient_of(network, batch.view(), normaliser, &whole_loss);
  auto sum = network.make_gradient();
  double loss = 0;
  const std::vector<std::size_t> cuts{0, 20, 20, 49, 50};  // including an empty slice
  for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
    double part_loss = 0;
    const auto part =
        gradient_of(network, batch.view().rows(cuts[s], cuts[s + 1] - cuts[s]), normaliser, &part_loss);
    loss += part_loss;
    for (std::size_t t = 0; t < part.tensors().size(); ++t) {
      for (std::size_t i = 0; i < part.tensors()[t].values.size(); ++i) {
        sum.tensors()[t].values[i] += part.tensors()[t].values[i];
      }
    }
  }
  EXPECT_NEAR(loss, whole_loss, 1e-10);
  for (std::size_t t = 0; t < whole.tensors().size(); ++t) {
    for (std::size_t i = 0; i < whole.tensors()[t].values.size(); ++i) {
      ASSERT_NEAR(sum.tensors()[t].values[i], whole.tensors()[t].values[i], 1e-14);
    }
  }
}

TEST(Network, OwnersOfColumnRangesTrainAsOneDevice) {
  // Model parallelism relies on this. The all-reduce of the first sums is written out.
  const auto layout = test::mixed_layout();
  const std::uint64_t n = layout->num_columns;
  for (const auto kind : {OptimizerKind::adagrad, OptimizerKind::ftrl, OptimizerKind::adam}) {
    const Case c{LossKind::logistic, 1, ActivationKind::tanh, {5}};
    const Architecture architecture = architecture_of(*layout, c);
    Network<double> whole(architecture);
    Optimizer<double> whole_optimizer(default_settings(kind), whole.parameters());
    std::vector<Network<double>> owners;
    std::vector<Optimizer<double>> optimizers;
    for (const ColumnRange range : {ColumnRange{0, 50}, ColumnRange{50, 61}, ColumnRange{61, n}}) {
      owners.emplace_back(architecture, range);
      optimizers.emplace_back(default_settings(kind), owners.back().parameters());
    }
    for (std::uint64_t step = 0; step < 4; ++step) {
      const CodeBatch batch = test::random_batch(layout, 40, 30 + step);
      const double normaliser = sum_of_weights(batch.weights, 40);
      whole.train_step(batch.view(), whole_optimizer);
      std::vector<Workspace<double>> works(owners.size());
      std::vector<double> total(40 * 5);
      for (std::size_t r = 0; r < owners.size(); ++r) {
        owners[r].first_forward(batch.view(), works[r]);
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += works[r].first_sums()[i];
      }
      for (std::size_t r = 0; r < owners.size(); ++r) {
        std::copy(total.begin(), total.end(), works[r].first_sums().begin());
        auto gradient = owners[r].make_gradient();
        owners[r].tail_forward(works[r]);
        owners[r].loss_and_output_gradient(batch.view(), normaliser, works[r], "test");
        owners[r].tail_backward(works[r], gradient);
        owners[r].first_backward(batch.view(), works[r], gradient, nullptr);
        optimizers[r].update(owners[r].parameters(), gradient, nullptr);
      }
    }
    for (const auto& owner : owners) {
      const auto& part = owner.parameters();
      for (std::size_t i = 0; i < part.first_weights.size(); ++i) {
        ASSERT_NEAR(part.first_weights[i], whole.parameters().first_weights[part.columns.begin * 5 + i],
                    1e-9);
      }
      for (std::size_t i = 0; i < part.tail[0].weights.size(); ++i) {
        ASSERT_NEAR(part.tail[0].weights[i], whole.parameters().tail[0].weights[i], 1e-9);
      }
    }
  }
}

TEST(Network, MissingWeightsAreOnes) {
  const auto layout = test::mixed_layout();
  CodeBatch ones = test::random_batch(layout, 20, 3);
  ones.weights.assign(20, 1.0f);
  CodeBatchView none = ones.view();
  none.weights = {};
  Network<double> network(architecture_of(*layout, {}));
  shake(network.parameters());
  EXPECT_EQ(network.loss(ones.view()), network.loss(none));
}

TEST(Network, BatchesOfOtherColumnsAndParametersOfOtherShapesAreRefused) {
  const auto layout = test::mixed_layout();
  const CodeBatch other = test::random_batch(test::plain_layout(1, 10), 3, 1);
  const Architecture architecture = architecture_of(*layout, {});
  Network<float> network(architecture);
  Optimizer<float> optimizer(default_settings(OptimizerKind::sgd), network.parameters());
  std::vector<float> predictions(3);
  EXPECT_THROW(network.train_step(other.view(), optimizer), ShapeError);
  EXPECT_THROW(network.predict(other.view(), predictions), ShapeError);
  EXPECT_THROW(network.predict(test::random_batch(layout, 4, 1).view(), predictions), ShapeError);
  CodeBatch unlabelled = test::random_batch(layout, 3, 1);
  unlabelled.targets.clear();
  EXPECT_THROW(network.train_step(unlabelled.view(), optimizer), ShapeError);
  EXPECT_THROW(network.loss(unlabelled.view()), ShapeError);
  const CodeBatch batch = test::random_batch(layout, 3, 1);
  const std::vector<float> two(2, 1.0f), four(4, 1.0f);
  for (const auto& wrong : {two, four}) {
    CodeBatchView view = batch.view();
    view.weights = wrong;
    EXPECT_THROW(network.train_step(view, optimizer), ShapeError);
    EXPECT_THROW(network.loss(view), ShapeError);
    view = batch.view();
    view.targets = wrong;
    EXPECT_THROW(network.train_step(view, optimizer), ShapeError);
  }
  Workspace<float> unshaped;
  EXPECT_THROW(network.tail_forward(unshaped), ShapeError);
  auto parameters = initialize<float>(architecture);
  parameters.first_weights.pop_back();
  EXPECT_THROW(Network<float>(architecture, parameters), ShapeError);
}

TEST(Network, GradientsOfOtherShapesAreRefused) {
  const auto layout = test::mixed_layout();
  const CodeBatch batch = test::random_batch(layout, 3, 1);
  for (const auto& [hidden, others] :
       {std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>{{}, {2}},
        {{2, 2}, {4, 3}},
        {{2, 2}, {2, 3}},
        {{2, 2}, {2}}}) {
    const Network<float> network(architecture_of(*layout, {.hidden = hidden}));
    Parameters<float> of_another =
        Network<float>(architecture_of(*layout, {.hidden = others})).make_gradient();
    Parameters<float> none;
    Workspace<float> work;
    EXPECT_THROW(network.add_gradient(batch.view(), 3, "a", work, of_another, nullptr, {}), ShapeError);
    EXPECT_THROW(network.add_gradient(batch.view(), 3, "a", work, none, nullptr, {}), ShapeError);
  }
}

TEST(Network, AStepThatIsRefusedLeavesNothingBehind) {
  const auto layout = test::mixed_layout();
  const CodeBatch batch = test::random_batch(layout, 3, 1);
  const Architecture architecture = architecture_of(*layout, {});
  Network<float> network(architecture), fresh(architecture);
  const Network<float> other(architecture_of(*test::plain_layout(1, 10), {}));
  const OptimizerSettings settings = default_settings(OptimizerKind::adagrad);
  Optimizer<float> of_other(settings, other.parameters());
  Optimizer<float> one(settings, network.parameters()), two(settings, fresh.parameters());
  EXPECT_THROW(network.train_step(batch.view(), of_other), ShapeError);
  EXPECT_EQ(network.train_step(batch.view(), one), fresh.train_step(batch.view(), two));
  EXPECT_EQ(network.parameters().first_weights, fresh.parameters().first_weights);
  EXPECT_EQ(network.parameters().first_bias, fresh.parameters().first_bias);
}

TEST(Network, DenseTargetMatrixTrainsAnAutoencoder) {
  // The row itself is the target: the extension point that recommenders use.
  const auto layout = test::plain_layout(1, 16);
  const CodeBatch batch = test::random_batch(layout, 24, 2);
  Case c{LossKind::logistic,
         static_cast<std::uint32_t>(layout->num_columns),
         ActivationKind::sigmoid,
         {10, 5, 10}};
  Network<double> network(architecture_of(*layout, c));
  OptimizerSettings settings = default_settings(OptimizerKind::rmsprop);
  settings.learning_rate = 0.02;
  Optimizer<double> optimizer(settings, network.parameters());
  const std::vector<double> targets = test::dense_matrix(batch.view());
  Workspace<double> work;
  double first = 0;
  double last = 0;
  for (int step = 0; step < 300; ++step) {
    auto gradient = network.make_gradient();
    network.first_forward(batch.view(), work);
    network.tail_forward(work);
    last = network.loss_and_output_gradient(targets, {}, 24, work);
    network.tail_backward(work, gradient);
    network.first_backward(batch.view(), work, gradient, nullptr);
    optimizer.update(network.parameters(), gradient, nullptr);
    if (step == 0) first = last;
  }
  EXPECT_LT(last, 0.3 * first);
}

TEST(AllFinite, FindsEveryInfinityAndNan) {
  std::vector<float> values(40, std::numeric_limits<float>::max());
  values[3] = std::numeric_limits<float>::denorm_min();
  EXPECT_TRUE(all_finite<float>(values));
  EXPECT_TRUE(all_finite<double>(std::span<const double>{}));
  for (const float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::size_t at : {0, 17, 39}) {
      auto with_bad = values;
      with_bad[at] = bad;
      EXPECT_FALSE(all_finite<float>(with_bad));
      EXPECT_FALSE(all_finite<double>(std::vector<double>(with_bad.begin(), with_bad.end())));
    }
  }
}

}  // namespace
}  // namespace widehash
