#include <widehash/activation.hpp>
#include <widehash/error.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

constexpr std::array kinds{ActivationKind::linear, ActivationKind::relu, ActivationKind::sigmoid,
                           ActivationKind::tanh};

double value_at(ActivationKind kind, double z) {
  std::vector<double> values{z};
  apply_activation<double>(kind, values);
  return values[0];
}

TEST(Activation, GradientEqualsFiniteDifference) {
  for (const ActivationKind kind : kinds) {
    for (const double z : {-3.0, -0.4, 0.3, 2.5}) {
      const std::vector<double> value{value_at(kind, z)};
      std::vector<double> delta{1.5};
      apply_activation_gradient<double>(kind, value, delta);
      const double slope = (value_at(kind, z + 1e-6) - value_at(kind, z - 1e-6)) / 2e-6;
      EXPECT_NEAR(delta[0], 1.5 * slope, 1e-8) << to_string(kind) << " at " << z;
    }
  }
}

TEST(Activation, ReluHasNoSlopeAtAndBelowZero) {
  const std::vector<float> values{0, 0};
  std::vector<float> deltas{1, 2};
  apply_activation_gradient<float>(ActivationKind::relu, values, deltas);
  EXPECT_EQ(deltas, (std::vector<float>{0, 0}));
}

TEST(Activation, SigmoidNeitherOverflowsNorLosesItsTail) {
  EXPECT_EQ(sigmoid(1e4), 1);
  EXPECT_EQ(sigmoid(-1e4), 0);
  EXPECT_EQ(sigmoid(0), 0.5);
  EXPECT_NEAR(sigmoid(-40) / std::exp(-40.0), 1, 1e-12);
}

TEST(Activation, NanStaysNan) {
  for (const ActivationKind kind : kinds) {
    EXPECT_TRUE(std::isnan(value_at(kind, std::numeric_limits<double>::quiet_NaN()))) << to_string(kind);
  }
}

TEST(Activation, NamesReadBackAndOthersAreRefusedWithTheList) {
  for (const ActivationKind kind : kinds) EXPECT_EQ(parse_activation(to_string(kind)), kind);
  try {
    parse_activation("gelu");
    FAIL() << "gelu was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("linear, relu, sigmoid, tanh"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace widehash
