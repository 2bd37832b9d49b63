#include "network/optimizer_kinds.hpp"

#include <widehash/error.hpp>
#include <widehash/optimizer.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::optimizer_kinds;

OptimizerSettings with(OptimizerKind kind, double l1, double l2) {
  OptimizerSettings settings = default_settings(kind);
  settings.learning_rate = 0.1;
  settings.l1 = l1;
  settings.l2 = l2;
  settings.epsilon = 1e-8;
  return settings;
}

/// Takes one coordinate through a list of gradients.
double run(const OptimizerSettings& settings, double w, const std::vector<double>& gradients,
           bool regularise = true) {
  std::vector<double> weight{w};
  std::vector<double> first(num_states(settings.kind) > 0 ? 1 : 0);
  std::vector<double> second(num_states(settings.kind) > 1 ? 1 : 0);
  std::uint64_t step = 0;
  for (const double g : gradients) {
    update_dense<double>(settings, ++step, regularise, weight, std::vector<double>{g}, {first, second});
  }
  return weight[0];
}

double soft(double w, double threshold) { return std::copysign(std::max(0.0, std::abs(w) - threshold), w); }

TEST(Optimizer, SgdFollowsItsEquation) {
  EXPECT_NEAR(run(with(OptimizerKind::sgd, 0, 0), 1, {2, -3}), 1 - 0.2 + 0.3, 1e-15);
  const double first = soft(1 - 0.1 * (2 + 0.5), 0.1 * 0.3);
  EXPECT_NEAR(run(with(OptimizerKind::sgd, 0.3, 0.5), 1, {2}), first, 1e-15);
  EXPECT_EQ(run(with(OptimizerKind::sgd, 100, 0), 1, {2}), 0);
}

TEST(Optimizer, AdagradFollowsDuchi) {
  const OptimizerSettings settings = with(OptimizerKind::adagrad, 0.2, 0.5);
  double w = 1;
  double n = 0;
  for (const double raw : {2.0, -3.0, 0.5}) {
    const double g = raw + 0.5 * w;
    n += g * g;
    const double step = 0.1 / (std::sqrt(n) + 1e-8);
    w = soft(w - step * g, step * 0.2);
  }
  EXPECT_NEAR(run(settings, 1, {2, -3, 0.5}), w, 1e-15);
}

TEST(Optimizer, RmsPropFollowsHinton) {
  OptimizerSettings settings = with(OptimizerKind::rmsprop, 0.2, 0.5);
  settings.rho = 0.8;
  double w = 1;
  double n = 0;
  for (const double raw : {2.0, -3.0, 0.5}) {
    const double g = raw + 0.5 * w;
    n = 0.8 * n + 0.2 * g * g;
    const double step = 0.1 / (std::sqrt(n) + 1e-8);
    w = soft(w - step * g, step * 0.2);
  }
  EXPECT_NEAR(run(settings, 1, {2, -3, 0.5}), w, 1e-14);
}

TEST(Optimizer, AdamFollowsKingmaAndBa) {
  const OptimizerSettings settings = with(OptimizerKind::adam, 0.2, 0.5);
  double w = 1;
  double m = 0;
  double v = 0;
  int t = 0;
  for (const double raw : {2.0, -3.0, 0.5}) {
    ++t;
    const double g = raw + 0.5 * w;
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double step = 0.1 / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
    w = soft(w - step * m / (1 - std::pow(0.9, t)), step * 0.2);
  }
  EXPECT_NEAR(run(settings, 1, {2, -3, 0.5}), w, 1e-13);
  // Bias correction makes the first step the learning rate itself, whatever the size of the gradient.
  EXPECT_NEAR(run(with(OptimizerKind::adam, 0, 0), 0, {1e-3}), -0.1, 1e-5);
}

TEST(Optimizer, FtrlFollowsMcMahan) {
  OptimizerSettings settings = with(OptimizerKind::ftrl, 0.4, 0.7);
  settings.beta = 1;
  double w = 0;
  double z = 0;
  double n = 0;
  for (const double g : {2.0, -3.0, 0.5, -1.25}) {
    const double sigma = (std::sqrt(n + g * g) - std::sqrt(n)) / 0.1;
    z += g - sigma * w;
    n += g * g;
    w = std::abs(z) <= 0.4 ? 0 : -(z - (z > 0 ? 0.4 : -0.4)) / ((1 + std::sqrt(n)) / 0.1 + 0.7);
  }
  EXPECT_NEAR(run(settings, 0, {2, -3, 0.5, -1.25}), w, 1e-15);
  EXPECT_EQ(run(settings, 0, {0.3}), 0) << "a gradient below l1 leaves the weight at 0";
}

TEST(Optimizer, FtrlMinimisesTheLinearisedLossesOfItsDefinition) {
  // w_{t+1} = argmin_w  g_1:t w + 1/2 sum_s sigma_s (w - w_s)^2 + (beta / a + l2) / 2 w^2 + l1 |w|
  OptimizerSettings settings = with(OptimizerKind::ftrl, 0.4, 0.7);
  settings.beta = 0.5;
  const std::vector<double> gradients{2, -3, 0.5, -1.25, 4};
  std::vector<double> weights{0};
  for (std::size_t t = 1; t <= gradients.size(); ++t) {
    weights.push_back(
        run(settings, 0, {gradients.begin(), gradients.begin() + static_cast<std::ptrdiff_t>(t)}));
  }
  const auto objective = [&](double w) {
    double value = (settings.beta / 0.1 + 0.7) / 2 * w * w + 0.4 * std::abs(w);
    double n = 0;
    for (std::size_t s = 0; s < gradients.size(); ++s) {
      const double sigma = (std::sqrt(n + gradients[s] * gradients[s]) - std::sqrt(n)) / 0.1;
      n += gradients[s] * gradients[s];
      value += gradients[s] * w + sigma / 2 * (w - weights[s]) * (w - weights[s]);
    }
    return value;
  };
  const double best = weights.back();
  EXPECT_LT(objective(best), objective(best + 1e-4));
  EXPECT_LT(objective(best), objective(best - 1e-4));
}

TEST(Optimizer, LearningRateFallsLinearlyAndStaysAtItsLastValue) {
  OptimizerSettings settings = with(OptimizerKind::sgd, 0, 0);
  EXPECT_EQ(learning_rate_at(settings, 1), 0.1);
  EXPECT_EQ(learning_rate_at(settings, 1'000'000), 0.1);
  settings.decay_steps = 4;
  EXPECT_NEAR(run(settings, 0, {1, 1, 1, 1}), -0.1 * (1 + 0.75 + 0.5 + 0.25), 1e-15);
  EXPECT_NEAR(learning_rate_at(settings, 4), 0.025, 1e-15);
  EXPECT_EQ(learning_rate_at(settings, 5), learning_rate_at(settings, 4));
  settings.decay_start = 10;  // training that continues after ten steps
  EXPECT_EQ(learning_rate_at(settings, 9), 0.1);
  EXPECT_EQ(learning_rate_at(settings, 11), 0.1);
  EXPECT_NEAR(learning_rate_at(settings, 12), 0.075, 1e-15);
  EXPECT_NEAR(learning_rate_at(settings, 14), 0.025, 1e-15);
  EXPECT_EQ(learning_rate_at(settings, 15), learning_rate_at(settings, 14));
  // FTRL's weights are a function of the learning rate, so it cannot change there.
  settings.kind = OptimizerKind::ftrl;
  EXPECT_THROW(check_settings(settings), ConfigError);
}

TEST(Optimizer, BiasesAreNotRegularised) {
  for (const OptimizerKind kind : optimizer_kinds) {
    EXPECT_EQ(run(with(kind, 0.3, 0.5), 0, {2, -1}, false), run(with(kind, 0, 0), 0, {2, -1}, true))
        << to_string(kind);
  }
}

Architecture small(std::vector<std::uint32_t> hidden) {
  Architecture architecture;
  architecture.num_columns = 60;
  architecture.hidden = std::move(hidden);
  architecture.seed = 3;
  architecture.active_columns = 4;
  return architecture;
}

/// A gradient that is 0 except in some columns of the first layer and all of the tail.
template <class Real>
Parameters<Real> sparse_gradient(const Architecture& architecture, TouchedColumns& touched,
                                 std::mt19937_64& random) {
  auto gradient = make_zero_parameters<Real>(architecture, {0, architecture.num_columns});
  const auto value = [&] { return static_cast<Real>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5); };
  for (std::uint32_t column = 0; column < architecture.num_columns; ++column) {
    if (random() % 3 != 0) continue;
    touched.marker()(column);
    // Some touched values remain 0, as sums of deltas can be 0.
    for (std::uint32_t u = 0; u < gradient.units; ++u) {
      if (random() % 4 != 0) gradient.first_weights[column * gradient.units + u] = value();
    }
  }
  touched.list();
  auto tensors = gradient.tensors();
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    for (Real& v : tensors[i].values) v = value();
  }
  return gradient;
}

template <class Real>
struct Model {
  Model(const OptimizerSettings& settings, const Architecture& architecture)
      : parameters(initialize<Real>(architecture)), optimizer(settings, parameters) {}
  Parameters<Real> parameters;
  Optimizer<Real> optimizer;
};

template <class Real>
void expect_same_tensors(const Parameters<Real>& a, const Parameters<Real>& b) {
  for (std::size_t i = 0; i < a.tensors().size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(a.tensors()[i].values, b.tensors()[i].values)) << "tensor " << i;
  }
}

template <class Real>
void expect_same(const Model<Real>& a, const Model<Real>& b) {
  SCOPED_TRACE(to_json(a.optimizer.settings()));
  expect_same_tensors(a.parameters, b.parameters);
  for (std::size_t s = 0; s < a.optimizer.states().size(); ++s) {
    expect_same_tensors(a.optimizer.states()[s], b.optimizer.states()[s]);
  }
  EXPECT_EQ(a.optimizer.step(), b.optimizer.step());
}

template <class Real>
void expect_touched_equals_dense(const OptimizerSettings& settings, const Architecture& architecture) {
  Model<Real> dense(settings, architecture);
  Model<Real> sparse(settings, architecture);
  std::mt19937_64 random(5);
  TouchedColumns touched({0, architecture.num_columns});
  for (int step = 0; step < 20; ++step) {
    const auto gradient = sparse_gradient<Real>(architecture, touched, random);
    dense.optimizer.update(dense.parameters, gradient, nullptr);
    sparse.optimizer.update(sparse.parameters, gradient, &touched);
    touched.clear();
  }
  expect_same(dense, sparse);
}

TEST(Optimizer, TouchedColumnsAloneGiveExactlyTheDenseUpdate) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const double l1 : {0.0, 0.01}) {
      for (const double l2 : {0.0, 0.02}) {
        for (const auto& hidden : {std::vector<std::uint32_t>{}, std::vector<std::uint32_t>{3}}) {
          expect_touched_equals_dense<float>(with(kind, l1, l2), small(hidden));
          expect_touched_equals_dense<double>(with(kind, l1, l2), small(hidden));
        }
      }
    }
  }
}

TEST(Optimizer, DenseUpdatesAreNeededExactlyWhereAZeroGradientMovesAWeight) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const double l1 : {0.0, 0.01}) {
      for (const double l2 : {0.0, 0.02}) {
        const OptimizerSettings settings = with(kind, l1, l2);
        auto parameters = make_zero_parameters<double>(small({}), {0, 60});
        parameters.first_weights.assign(60, 0.25);
        Optimizer<double> optimizer(settings, parameters);
        auto gradient = make_zero_parameters<double>(small({}), {0, 60});
        gradient.first_weights.assign(60, 1.0);
        optimizer.update(parameters, gradient, nullptr);
        const auto before = parameters.first_weights;
        const auto states_before = optimizer.states();
        gradient.first_weights.assign(60, 0.0);
        optimizer.update(parameters, gradient, nullptr);
        bool moved = parameters.first_weights != before;
        for (std::size_t s = 0; s < states_before.size(); ++s) {
          moved = moved || states_before[s].first_weights != optimizer.states()[s].first_weights;
        }
        EXPECT_EQ(needs_dense_update(settings), moved) << to_json(settings);
      }
    }
  }
}

TEST(Optimizer, FtrlGoesOnFromInitialWeights) {
  // With hidden layers, the first layer starts away from 0. The first small gradients must not erase those
  // initial weights.
  OptimizerSettings settings = with(OptimizerKind::ftrl, 0.001, 0.1);
  auto parameters = initialize<double>(small({4}));
  const auto before = parameters.first_weights;
  Optimizer<double> optimizer(settings, parameters);
  auto gradient = make_zero_parameters<double>(small({4}), {0, 60});
  gradient.first_weights.assign(before.size(), 1e-12);
  optimizer.update(parameters, gradient, nullptr);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(parameters.first_weights[i], before[i], 1e-8);
}

TEST(Optimizer, PartsOfTheColumnsUpdateAsTheWhole) {
  for (const OptimizerKind kind : optimizer_kinds) {
    const Architecture architecture = small({3});
    auto whole = initialize<float>(architecture);
    auto part = initialize<float>(architecture, {20, 45});
    Optimizer<float> whole_optimizer(with(kind, 0.01, 0.02), whole);
    Optimizer<float> part_optimizer(with(kind, 0.01, 0.02), part);
    std::mt19937_64 random(9);
    TouchedColumns touched({0, 60});
    for (int step = 0; step < 5; ++step) {
      const auto gradient = sparse_gradient<float>(architecture, touched, random);
      auto part_gradient = make_zero_parameters<float>(architecture, {20, 45});
      part_gradient.first_weights.assign(gradient.first_weights.begin() + 60,
                                         gradient.first_weights.begin() + 135);
      whole_optimizer.update(whole, gradient, nullptr);
      part_optimizer.update(part, part_gradient, nullptr);
      touched.clear();
    }
    EXPECT_TRUE(
        std::equal(part.first_weights.begin(), part.first_weights.end(), whole.first_weights.begin() + 60));
  }
}

TEST(Optimizer, UpdateHasTheSameBitsForAnyNumberOfThreads) {
  Architecture architecture = small({});
  architecture.num_columns = 100'000;
  std::vector<AlignedVector<float>> results;
  for (const std::size_t threads : {1, 3}) {
    with_threads(threads, [&] {
      auto parameters = make_zero_parameters<float>(architecture, {0, 100'000});
      auto gradient = parameters;
      for (std::size_t i = 0; i < 100'000; ++i) gradient.first_weights[i] = std::sin(static_cast<float>(i));
      Optimizer<float> optimizer(default_settings(OptimizerKind::adam), parameters);
      for (int step = 0; step < 3; ++step) optimizer.update(parameters, gradient, nullptr);
      results.push_back(parameters.first_weights);
    });
  }
  EXPECT_EQ(results[0], results[1]);
}

void expect_clearing_equals_keeping(const OptimizerSettings& settings, bool lists, std::size_t threads) {
  Architecture architecture = small({30});
  architecture.num_columns = 3000;
  Model<float> keeping(settings, architecture);
  Model<float> clearing(settings, architecture);
  std::mt19937_64 random(5);
  TouchedColumns touched({0, architecture.num_columns});
  for (int step = 0; step < 3; ++step) {
    auto gradient = sparse_gradient<float>(architecture, touched, random);
    const TouchedColumns* const list = lists ? &touched : nullptr;
    keeping.optimizer.update(keeping.parameters, gradient, list);
    with_threads(threads, [&] { clearing.optimizer.update_and_clear(clearing.parameters, gradient, list); });
    expect_same_tensors(gradient, make_zero_parameters<float>(architecture, {0, architecture.num_columns}));
    touched.clear();
  }
  expect_same(keeping, clearing);
}

TEST(Optimizer, AnUpdateThatClearsMovesWhatOneThatKeepsMoves) {
  for (const OptimizerKind kind : optimizer_kinds) {
    for (const double l2 : {0.0, 0.02}) {
      for (const bool lists : {false, true}) {
        for (const std::size_t threads : {1, 3})
          expect_clearing_equals_keeping(with(kind, 0, l2), lists, threads);
      }
    }
  }
}

TEST(Optimizer, OtherShapesAreRefused) {
  auto parameters = initialize<float>(small({}));
  Optimizer<float> optimizer(default_settings(OptimizerKind::adagrad), parameters);
  const auto other = make_zero_parameters<float>(small({}), {0, 59});
  EXPECT_THROW(optimizer.update(parameters, other, nullptr), ShapeError);
  TouchedColumns touched({0, 10});
  EXPECT_THROW(optimizer.update(parameters, parameters, &touched), ShapeError);
  EXPECT_THROW(Optimizer<float>(default_settings(OptimizerKind::adam), {parameters}, 1), ShapeError);
  EXPECT_EQ(optimizer.step(), 0u);
}

}  // namespace
}  // namespace widehash
