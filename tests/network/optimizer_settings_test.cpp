#include "network/optimizer_kinds.hpp"

#include <widehash/error.hpp>
#include <widehash/optimizer.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using test::optimizer_kinds;

TEST(OptimizerSettings, DefaultRatesFallWithColumnsAndAdagradsGrowsWithTheBatch) {
  const auto rate = [](OptimizerKind kind, std::uint32_t columns, std::uint64_t batch, bool hidden = false) {
    return default_settings(
               kind, {.active_columns = columns, .dense_weights = hidden ? 8u : 0u, .batch_size = batch})
        .learning_rate;
  };
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100, 512), 0.16);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 1, 512), 1.6);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100, 512 * 16), 0.32);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100, 1), 0.16) << "small batches take no smaller steps";
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100, 512 * 16, true), 0.03);
  for (const OptimizerKind kind : optimizer_kinds) {
    if (kind == OptimizerKind::adagrad) continue;
    EXPECT_EQ(rate(kind, 100, 512 * 16), rate(kind, 100, 512)) << to_string(kind);
    EXPECT_LT(rate(kind, 200, 512), rate(kind, 100, 512)) << to_string(kind);
  }
}

TEST(OptimizerSettings, OfFewRowsAdagradsRateForTheLinearModelFallsWithTheirCubeRoot) {
  const auto rate = [](OptimizerKind kind, std::uint64_t rows, bool hidden, LossKind loss) {
    return default_settings(kind, {.num_rows = rows, .dense_weights = hidden ? 8u : 0u, .loss = loss})
        .learning_rate;
  };
  for (const LossKind loss : {LossKind::logistic, LossKind::softmax, LossKind::mse, LossKind::poisson}) {
    for (const OptimizerKind kind : optimizer_kinds) {
      const double full = rate(kind, 0, false, loss);
      const bool falls = kind == OptimizerKind::adagrad && loss != LossKind::mse && loss != LossKind::poisson;
      EXPECT_DOUBLE_EQ(rate(kind, 1'000'000, false, loss), full);
      EXPECT_DOUBLE_EQ(rate(kind, 8000, false, loss), full);
      EXPECT_DOUBLE_EQ(rate(kind, 1000, false, loss), falls ? full / 2 : full) << to_string(kind);
      EXPECT_DOUBLE_EQ(rate(kind, 1, false, loss), falls ? full / 20 : full) << to_string(kind);
      EXPECT_DOUBLE_EQ(rate(kind, 1, true, loss), rate(kind, 0, true, loss)) << to_string(kind);
    }
  }
}

TEST(OptimizerSettings, SquaredErrorsTakeSmallerSteps) {
  const auto rate = [](OptimizerKind kind, std::uint32_t active, bool hidden = false) {
    return default_settings(
               kind, {.active_columns = active, .dense_weights = hidden ? 8u : 0u, .loss = LossKind::mse})
        .learning_rate;
  };
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100), 0.04);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 1), 0.8);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 100, true), 0.02);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 8, true), 0.1);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::sgd, 99), 0.01);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::ftrl, 100), 0.04);
  for (const OptimizerKind kind : optimizer_kinds)
    EXPECT_LE(rate(kind, 30), default_settings(kind, {.active_columns = 30}).learning_rate)
        << to_string(kind);
}

TEST(OptimizerSettings, ManyDenseWeightsTakeSmallerStepsWhereTheLossIsSteep) {
  const auto rate = [](OptimizerKind kind, LossKind loss, std::uint64_t dense_weights,
                       std::uint32_t active = 8) {
    return default_settings(kind, {.active_columns = active, .dense_weights = dense_weights, .loss = loss})
        .learning_rate;
  };
  for (const LossKind loss : {LossKind::mse, LossKind::poisson}) {
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, loss, 200), 0.1);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, loss, 800), 0.05);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, loss, 20'000), 0.01);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, loss, 800, 1000),
                     rate(OptimizerKind::adagrad, loss, 8, 1000));
  }
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, LossKind::logistic, 20'000), 0.1);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adam, LossKind::mse, 20'000),
                   rate(OptimizerKind::adam, LossKind::mse, 8));
}

TEST(OptimizerSettings, UnitsOfTheFirstLayerMoveByLittleInAFirstStep) {
  const auto rate = [](OptimizerKind kind, std::uint32_t active, LossKind loss = LossKind::logistic) {
    return default_settings(kind, {.active_columns = active, .dense_weights = 8, .loss = loss}).learning_rate;
  };
  for (const LossKind loss : {LossKind::logistic, LossKind::softmax}) {
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 1, loss), 0.1);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 30, loss), 0.1);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 60, loss), 0.05);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 400, loss), 0.03);
    EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 1600, loss), 0.01);
  }
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, 20, LossKind::mse), 0.1);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::sgd, 70), 0.1);
}

TEST(OptimizerSettings, NoisyWeightsHaveAStrongerPrior) {
  const auto l2 = [](double noise, std::uint64_t dense_weights) {
    return default_settings(OptimizerKind::adagrad,
                            {.num_rows = 1000, .dense_weights = dense_weights, .weight_noise = noise})
        .l2;
  };
  for (const std::uint64_t dense_weights : {0, 8}) {
    EXPECT_DOUBLE_EQ(l2(25, dense_weights), 25 * l2(1, dense_weights));
    EXPECT_DOUBLE_EQ(l2(0.1, dense_weights), l2(1, dense_weights));
  }
}

TEST(OptimizerSettings, CountsTakeStepsThatMultiplyByLittle) {
  const auto rate = [](OptimizerKind kind, RowShape shape) {
    shape.loss = LossKind::poisson;
    return default_settings(kind, shape).learning_rate;
  };
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, {.active_columns = 100}), 0.02);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, {.active_columns = 1}), 0.4);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, {.active_columns = 100, .dense_weights = 8}), 0.01);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::adagrad, {.active_columns = 100, .batch_size = 512 * 10'000}), 0.04);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::ftrl, {.active_columns = 100}), 0.01);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::sgd, {.active_columns = 99}), 0.01);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::sgd, {.active_columns = 99, .most_step_weight = 2, .mean_target = 5}),
                   0.001);
  EXPECT_DOUBLE_EQ(rate(OptimizerKind::sgd, {.active_columns = 99, .mean_target = 0.001}), 0.1);
}

TEST(OptimizerSettings, WhatIsAddedToGradientsIsAsSmallAsThoseOfRareCounts) {
  const auto settings = [](OptimizerKind kind, LossKind loss, double mean_target) {
    return default_settings(kind, {.num_rows = 1000, .loss = loss, .mean_target = mean_target});
  };
  for (const OptimizerKind kind : optimizer_kinds) {
    SCOPED_TRACE(to_string(kind));
    const OptimizerSettings usual = settings(kind, LossKind::poisson, 1);
    const OptimizerSettings rare = settings(kind, LossKind::poisson, rare_count * 1e-3);
    EXPECT_DOUBLE_EQ(rare.l2, usual.l2 * 1e-3);
    EXPECT_DOUBLE_EQ(rare.epsilon, usual.epsilon * 1e-3);
    EXPECT_DOUBLE_EQ(rare.beta, usual.beta * 1e-3);
    EXPECT_EQ(settings(kind, LossKind::poisson, rare_count).epsilon, usual.epsilon);
    EXPECT_EQ(settings(kind, LossKind::mse, 1e-3), settings(kind, LossKind::mse, 1));
    check_settings(settings(kind, LossKind::poisson, 0));
  }
}

TEST(OptimizerSettings, ReadBackFromJsonBitForBit) {
  for (const OptimizerKind kind : optimizer_kinds) {
    OptimizerSettings settings = default_settings(kind);
    settings.learning_rate = 0.1 + 1.0 / 3;
    settings.l1 = 1e-300;
    settings.l2 = std::nextafter(0.25, 1);
    EXPECT_EQ(parse_optimizer_settings(to_json(settings)), settings);
    EXPECT_EQ(parse_optimizer(to_string(kind)), kind);
  }
}

TEST(OptimizerSettings, ADecayThatBeginsAtOnceGoesWithoutSaying) {
  OptimizerSettings settings = default_settings(OptimizerKind::adagrad);
  settings.decay_steps = 100;
  EXPECT_EQ(to_json(settings).find("decay_start"), std::string::npos) << "older programs do not know it";
  EXPECT_EQ(parse_optimizer_settings(to_json(settings)), settings);
  settings.decay_start = 1e15;
  EXPECT_EQ(parse_optimizer_settings(to_json(settings)), settings);
}

TEST(OptimizerSettings, GradientsAreDividedByRowsTimesTheMeanWeightOrByWhatTheStepWeighs) {
  OptimizerSettings settings;
  EXPECT_EQ(gradient_normaliser(settings, 12.5, 10), 12.5) << "the mean is not known";
  settings.mean_weight = 2;
  EXPECT_EQ(gradient_normaliser(settings, 12.5, 10), 20);
  EXPECT_EQ(gradient_normaliser(settings, 80, 10), 20);
  EXPECT_EQ(gradient_normaliser(settings, 1000, 10), 250) << "no more than four mean steps";
  EXPECT_EQ(gradient_normaliser(settings, 0, 10), 0) << "a step without weight moves nothing";
  EXPECT_EQ(parse_optimizer_settings(to_json(settings)), settings);
  settings.mean_weight = 0;
  EXPECT_EQ(to_json(settings).find("mean_weight"), std::string::npos) << "older programs do not know it";
  settings.mean_weight = -1;
  EXPECT_THROW(check_settings(settings), ConfigError);
  settings = {};
  settings.kind = static_cast<OptimizerKind>(77);
  EXPECT_THROW(check_settings(settings), ConfigError);
}

TEST(OptimizerSettings, TextsThatAreNoSettingsAreRefused) {
  for (const char* text : {"", "{", "[]", "{}", R"({"kind":"lbfgs"})", R"({"kind":"sgd","momentum":0.9})",
                           R"({"kind":"sgd","l1":"0"})", R"({"kind":"sgd","l1":-1})", R"({"kind":7})"}) {
    EXPECT_THROW(parse_optimizer_settings(text), ConfigError) << text;
  }
}

TEST(OptimizerSettings, ValuesOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](double OptimizerSettings::*member, double value) {
    OptimizerSettings settings;
    settings.*member = value;
    EXPECT_THROW(check_settings(settings), ConfigError) << value;
  };
  for (const OptimizerKind kind : optimizer_kinds) EXPECT_NO_THROW(check_settings(default_settings(kind)));
  for (const double value : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    refused(&OptimizerSettings::learning_rate, value);
    refused(&OptimizerSettings::beta, value);
    refused(&OptimizerSettings::epsilon, value);
  }
  for (const double value : {-0.1, 1.0, nan}) {
    refused(&OptimizerSettings::beta1, value);
    refused(&OptimizerSettings::beta2, value);
    refused(&OptimizerSettings::rho, value);
  }
  refused(&OptimizerSettings::decay_start, -1);
  refused(&OptimizerSettings::l1, -1e-9);
  refused(&OptimizerSettings::l2, -1e-9);
}

}  // namespace
}  // namespace widehash
