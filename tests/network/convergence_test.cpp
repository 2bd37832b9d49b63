#include "network/batches.hpp"
#include "network/optimizer_kinds.hpp"

#include <widehash/activation.hpp>
#include <widehash/network.hpp>

#include <cmath>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace widehash {
namespace {

constexpr std::size_t num_rows = 400;

/// Rows whose labels follow a logistic model of two numbers.
CodeBatch noisy_rows() {
  Schema schema;
  schema.label.field = "y";
  schema.features.push_back(test::feature("a", Encoding::numeric, 0));
  schema.features.push_back(test::feature("b", Encoding::numeric, 0));
  CodeBatch batch = test::random_batch(test::share(make_layout(schema)), num_rows, 17);
  std::mt19937_64 random(18);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const double p = sigmoid(0.4 + 1.5 * batch.numbers[2 * row] - 2.0 * batch.numbers[2 * row + 1]);
    batch.targets[row] = static_cast<double>(random() >> 11) * 0x1p-53 < p ? 1 : 0;
  }
  return batch;
}

/// [rows x 3]: both numbers and a one for the bias.
Eigen::MatrixXd design(const CodeBatch& batch) {
  Eigen::MatrixXd x(num_rows, 3);
  for (std::size_t row = 0; row < num_rows; ++row) {
    x.row(static_cast<Eigen::Index>(row)) << batch.numbers[2 * row], batch.numbers[2 * row + 1], 1;
  }
  return x;
}

Eigen::VectorXd target_vector(const CodeBatch& batch) {
  Eigen::VectorXd y(num_rows);
  for (std::size_t row = 0; row < num_rows; ++row) y[static_cast<Eigen::Index>(row)] = batch.targets[row];
  return y;
}

/// Minimises the mean logistic loss + l2 / 2 |w|^2 (the bias is free) by Newton's method.
Eigen::Vector3d newton_optimum(const CodeBatch& batch, double l2) {
  const Eigen::MatrixXd x = design(batch);
  const Eigen::VectorXd y = target_vector(batch);
  const Eigen::Vector3d ridge(l2, l2, 0);
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  for (int step = 0; step < 30; ++step) {
    const Eigen::VectorXd p = (x * w).unaryExpr([](double z) { return sigmoid(z); });
    const Eigen::VectorXd variance = p.array() * (1 - p.array());
    const Eigen::Vector3d gradient = x.transpose() * (p - y) / double{num_rows} + ridge.cwiseProduct(w);
    const Eigen::Matrix3d slope = x.transpose() * variance.asDiagonal() * x / double{num_rows};
    w -= (slope + Eigen::Matrix3d(ridge.asDiagonal())).ldlt().solve(gradient);
  }
  return w;
}

Network<double> linear_network(const CodeBatch& batch, LossKind loss) {
  Architecture architecture;
  architecture.num_columns = batch.layout().num_columns;
  architecture.loss = loss;
  return Network<double>(architecture);
}

/// Settings whose small constants do not prevent an exact optimum.
OptimizerSettings precise_settings(OptimizerKind kind) {
  OptimizerSettings settings;
  settings.kind = kind;
  settings.beta = 1e-3;
  settings.epsilon = 1e-8;
  return settings;
}

Eigen::Vector3d weights_of(const Network<double>& network) {
  const auto& p = network.parameters();
  return {p.first_weights[0], p.first_weights[1], p.first_bias[0]};
}

TEST(Convergence, EveryOptimizerReachesTheLogisticOptimumThatNewtonFinds) {
  const CodeBatch batch = noisy_rows();
  const Eigen::Vector3d optimum = newton_optimum(batch, 0);
  for (const auto& [kind, rate] : {std::pair{OptimizerKind::sgd, 2.0},
                                   {OptimizerKind::adagrad, 0.5},
                                   {OptimizerKind::ftrl, 0.5},
                                   {OptimizerKind::adam, 0.02},
                                   {OptimizerKind::rmsprop, 0.001}}) {
    auto network = linear_network(batch, LossKind::logistic);
    OptimizerSettings settings = precise_settings(kind);
    settings.learning_rate = rate;
    Optimizer<double> optimizer(settings, network.parameters());
    for (int step = 0; step < 4000; ++step) network.train_step(batch.view(), optimizer);
    // RMSProp keeps stepping by its learning rate, so it circles the optimum at that distance.
    const double tolerance = kind == OptimizerKind::rmsprop ? 2e-3 : 1e-4;
    EXPECT_LT((weights_of(network) - optimum).norm(), tolerance)
        << to_string(kind) << " " << weights_of(network).transpose() << " optimum " << optimum.transpose();
  }
}

TEST(Convergence, L2ReachesTheRidgeOptimum) {
  const CodeBatch batch = noisy_rows();
  const Eigen::Vector3d optimum = newton_optimum(batch, 0.05);
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad}) {
    auto network = linear_network(batch, LossKind::logistic);
    OptimizerSettings settings = precise_settings(kind);
    settings.learning_rate = 0.5;
    settings.l2 = 0.05;
    Optimizer<double> optimizer(settings, network.parameters());
    for (int step = 0; step < 4000; ++step) network.train_step(batch.view(), optimizer);
    EXPECT_LT((weights_of(network) - optimum).norm(), 1e-6) << to_string(kind);
  }
}

TEST(Convergence, L1ReachesAPointWhereTheSubgradientVanishes) {
  const CodeBatch batch = noisy_rows();
  const double l1 = 0.1;
  auto network = linear_network(batch, LossKind::logistic);
  OptimizerSettings settings = precise_settings(OptimizerKind::sgd);
  settings.learning_rate = 1;
  settings.l1 = l1;
  Optimizer<double> optimizer(settings, network.parameters());
  for (int step = 0; step < 4000; ++step) network.train_step(batch.view(), optimizer);
  const Eigen::MatrixXd x = design(batch);
  const Eigen::Vector3d w = weights_of(network);
  const Eigen::VectorXd p = (x * w).unaryExpr([](double z) { return sigmoid(z); });
  const Eigen::Vector3d gradient = x.transpose() * (p - target_vector(batch)) / double{num_rows};
  for (const int i : {0, 1}) {
    if (w[i] == 0) {
      EXPECT_LE(std::abs(gradient[i]), l1);
    } else {
      EXPECT_NEAR(gradient[i], -std::copysign(l1, w[i]), 1e-9);
    }
  }
  EXPECT_NEAR(gradient[2], 0, 1e-9);
}

TEST(Convergence, MseReachesLeastSquares) {
  const CodeBatch batch = noisy_rows();
  auto network = linear_network(batch, LossKind::mse);
  OptimizerSettings settings = precise_settings(OptimizerKind::sgd);
  settings.learning_rate = 0.3;
  Optimizer<double> optimizer(settings, network.parameters());
  for (int step = 0; step < 2000; ++step) network.train_step(batch.view(), optimizer);
  const Eigen::MatrixXd x = design(batch);
  const Eigen::Vector3d optimum = x.colPivHouseholderQr().solve(target_vector(batch));
  EXPECT_LT((weights_of(network) - optimum).norm(), 1e-9);
}

TEST(Convergence, HiddenLayerLearnsWhatALinearModelCannot) {
  // Every optimizer learns the exclusive or of two one-hot fields.
  Schema schema;
  schema.label.field = "y";
  for (const char* name : {"a", "b"}) {
    schema.features.push_back(test::feature(name, Encoding::one_hot, 2));
    schema.features.back().buckets = 2;
  }
  CodeBatch batch = test::random_batch(test::share(make_layout(schema)), 256, 3);
  for (std::size_t row = 0; row < 256; ++row) {
    batch.targets[row] = batch.columns[2 * row] != batch.columns[2 * row + 1] ? 1 : 0;
  }
  for (const auto kind : test::optimizer_kinds) {
    Architecture architecture;
    architecture.num_columns = 4;
    architecture.hidden = {8};
    architecture.activation = ActivationKind::tanh;
    architecture.active_columns = 2;
    architecture.seed = 1;
    Network<float> network(architecture);
    OptimizerSettings settings = precise_settings(kind);
    settings.learning_rate = kind == OptimizerKind::sgd ? 1 : kind == OptimizerKind::ftrl ? 0.2 : 0.05;
    Optimizer<float> optimizer(settings, network.parameters());
    double loss = 0;
    for (int step = 0; step < 1500; ++step) loss = network.train_step(batch.view(), optimizer) / 256;
    EXPECT_LT(loss, 0.05) << to_string(kind);
  }
}

}  // namespace
}  // namespace widehash
