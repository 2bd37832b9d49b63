#include <widehash/error.hpp>
#include <widehash/parameters.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

Architecture example() {
  Architecture architecture;
  architecture.num_columns = 1000;
  architecture.hidden = {8, 5};
  architecture.outputs = 3;
  architecture.seed = 42;
  architecture.active_columns = 24;
  return architecture;
}

TEST(Parameters, LinearModelStartsAtZero) {
  Architecture architecture = example();
  architecture.hidden = {};
  const auto parameters = initialize<float>(architecture);
  EXPECT_EQ(parameters.units, 3u);
  EXPECT_EQ(parameters.first_weights, AlignedVector<float>(3000, 0.0f));
  EXPECT_EQ(parameters.first_bias, std::vector<float>(3, 0.0f));
}

TEST(Parameters, TensorsComeInOrderWithTheShapesOfTheLayers) {
  auto parameters = initialize<double>(example());
  std::vector<std::size_t> sizes;
  std::vector<bool> biases;
  for (const auto& tensor : parameters.tensors()) {
    sizes.push_back(tensor.values.size());
    biases.push_back(tensor.is_bias);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8000, 8, 40, 5, 15, 3}));
  EXPECT_EQ(biases, (std::vector<bool>{false, true, false, true, false, true}));
  EXPECT_EQ(parameters.num_values(), 8071u);
}

TEST(Parameters, WeightsAreBoundedAndSpreadAsStated) {
  Architecture architecture = example();
  architecture.num_columns = 20000;
  const auto check = [](const auto& weights, double bound) {
    double sum = 0;
    double squares = 0;
    for (const double w : weights) {
      ASSERT_LE(std::abs(w), bound);
      sum += w;
      squares += w * w;
    }
    const auto count = static_cast<double>(weights.size());
    EXPECT_NEAR(sum / count, 0, 5 * bound / std::sqrt(3 * count));
    EXPECT_NEAR(squares / count / (bound * bound / 3), 1, 5 * std::sqrt(0.8 / count));
  };
  const auto relu = initialize<double>(architecture);
  check(relu.first_weights, std::sqrt(6.0 / 24));
  check(relu.tail[0].weights, std::sqrt(6.0 / 8));
  check(relu.tail[1].weights, 0.1 * std::sqrt(6.0 / 8));
  architecture.activation = ActivationKind::tanh;
  const auto tanh = initialize<double>(architecture);
  check(tanh.first_weights, std::sqrt(3.0 / 24));
  check(tanh.tail[0].weights, std::sqrt(6.0 / 13));
}

TEST(Parameters, OwnerOfARangeMakesItsPartOfTheWhole) {
  const auto whole = initialize<float>(example());
  for (const ColumnRange range :
       {ColumnRange{0, 1}, ColumnRange{333, 700}, ColumnRange{999, 1000}, ColumnRange{5, 5}}) {
    const auto part = initialize<float>(example(), range);
    const AlignedVector<float> expected(
        whole.first_weights.begin() + static_cast<std::ptrdiff_t>(range.begin * 8),
        whole.first_weights.begin() + static_cast<std::ptrdiff_t>(range.end * 8));
    EXPECT_EQ(part.first_weights, expected);
    EXPECT_EQ(part.tail[0].weights, whole.tail[0].weights);
  }
}

TEST(Parameters, SeedsGiveOtherWeightsAndTheSameSeedTheSame) {
  Architecture other = example();
  other.seed = 43;
  EXPECT_EQ(initialize<float>(example()).first_weights, initialize<float>(example()).first_weights);
  EXPECT_NE(initialize<float>(example()).first_weights, initialize<float>(other).first_weights);
}

TEST(Parameters, GeneratorIsPinned) {
  // The expected values were computed independently of the library with arbitrary-precision integers; they
  // hold on every platform.
  Architecture architecture;
  architecture.num_columns = 2;
  architecture.hidden = {2};
  architecture.activation = ActivationKind::linear;
  architecture.active_columns = 3;  // bound 1
  const auto parameters = initialize<double>(architecture);
  const AlignedVector<double> expected{-0x1.7b3e2dd554e00p-1, -0x1.67204560e03e8p-3, -0x1.d5b12bfaa2d88p-3,
                                       0x1.4fb4c73672a40p-1};
  EXPECT_EQ(parameters.first_weights, expected);
}

TEST(Parameters, RangesOutsideTheColumnsAreRefused) {
  EXPECT_THROW(initialize<float>(example(), {0, 1001}), ConfigError);
  EXPECT_THROW(initialize<float>(example(), {7, 6}), ConfigError);
}

}  // namespace
}  // namespace widehash
