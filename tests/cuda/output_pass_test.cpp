// From the sums of the last hidden layer to its deltas in one kernel, compared with the definition in double.

#include "cuda/output_pass.hpp"

#include "cuda_test.hpp"
#include "network/reference.hpp"
#include "on_device.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace widehash::cuda {
namespace {

std::vector<float> random_floats(std::size_t count, std::mt19937_64& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

/// The inputs of a pass.
struct Work {
  Work(std::uint32_t num_units, std::size_t num_rows, std::uint64_t seed = 1) : units(num_units) {
    std::mt19937_64 random(seed);
    sums = random_floats(num_rows * units, random);
    hidden_bias = random_floats(units, random);
    weights = random_floats(units, random);
    bias = random_floats(1, random);
    for (std::size_t row = 0; row < num_rows; ++row) targets.push_back(static_cast<float>(random() % 2));
  }

  std::uint32_t units;
  LossKind loss = LossKind::logistic;
  ActivationKind activation = ActivationKind::tanh;
  double normaliser = 50;
  std::vector<float> sums;
  std::vector<float> hidden_bias;
  std::vector<float> weights;
  std::vector<float> bias;
  std::vector<float> targets;
  std::vector<float> row_weights;
};

struct Result {
  StepStatus status;
  std::vector<float> deltas;
  std::vector<float> hidden_bias_gradient;
  std::vector<float> weight_gradient;
  float bias_gradient = 0;
};

double activated(ActivationKind kind, double z) {
  switch (kind) {
    case ActivationKind::linear:
      return z;
    case ActivationKind::relu:
      return std::max(z, 0.0);
    case ActivationKind::sigmoid:
      return 1 / (1 + std::exp(-z));
    case ActivationKind::tanh:
      break;
  }
  return std::tanh(z);
}

double slope(ActivationKind kind, double z) {
  const double a = activated(kind, z);
  switch (kind) {
    case ActivationKind::linear:
      return 1;
    case ActivationKind::relu:
      return z > 0 ? 1 : 0;
    case ActivationKind::sigmoid:
      return a * (1 - a);
    case ActivationKind::tanh:
      break;
  }
  return 1 - a * a;
}

class OutputPassOnDevice : public CudaTest {
 protected:
  static Result run(const Work& work) {
    const DeviceContext context(0);
    const auto sums = on_device(context, work.sums);
    const auto hidden_bias = on_device(context, work.hidden_bias);
    const auto weights = on_device(context, work.weights);
    const auto bias = on_device(context, work.bias);
    const auto targets = on_device(context, work.targets);
    const auto row_weights = on_device(context, work.row_weights);
    const DeviceBuffer<float> deltas(context, work.sums.size(), "deltas");
    const DeviceBuffer<float> hidden_bias_gradient(context, work.units, "gradient");
    const DeviceBuffer<float> weight_gradient(context, work.units, "gradient");
    const DeviceBuffer<float> bias_gradient(context, 1, "gradient");
    const auto status = on_device(context, std::vector<StepStatus>(1));
    DeviceRows rows;
    rows.num_rows = work.targets.size();
    rows.targets = targets.data();
    rows.weights = work.row_weights.empty() ? nullptr : row_weights.data();
    OutputPass pass;
    Result first;
    // Twice, because what one pass leaves behind must not reach the next.
    for (int turn = 0; turn < 2; ++turn) {
      pass.compute(context, work.loss, work.activation, rows, work.units, work.normaliser,
                   {sums.data(), hidden_bias.data(), weights.data(), bias.data(), deltas.data(),
                    hidden_bias_gradient.data(), weight_gradient.data(), bias_gradient.data()},
                   status.data());
      const Result result{on_host(context, status)[0], on_host(context, deltas),
                          on_host(context, hidden_bias_gradient), on_host(context, weight_gradient),
                          on_host(context, bias_gradient)[0]};
      EXPECT_EQ(result.status.blocks_done, 0u);
      if (turn == 0) {
        first = result;
      } else if (first.status.outputs_not_finite == 0 && first.status.gradient_not_finite == 0) {
        EXPECT_EQ(result.status.loss, first.status.loss);
        EXPECT_EQ(result.deltas, first.deltas);
        EXPECT_EQ(result.weight_gradient, first.weight_gradient);
        EXPECT_EQ(result.hidden_bias_gradient, first.hidden_bias_gradient);
      }
    }
    return first;
  }

  static void expect_definition(const Work& work, const std::string& what) {
    const Result result = run(work);
    const std::size_t units = work.units;
    double loss = 0;
    double bias_gradient = 0;
    std::vector<double> hidden_bias_gradient(units);
    std::vector<double> weight_gradient(units);
    std::uint32_t largest = 0;
    for (std::size_t row = 0; row < work.targets.size(); ++row) {
      double z = work.bias[0];
      const auto sum = [&](std::size_t unit) {
        return double{work.sums[row * units + unit]} + double{work.hidden_bias[unit]};
      };
      for (std::size_t unit = 0; unit < units; ++unit)
        z += activated(work.activation, sum(unit)) * double{work.weights[unit]};
      const double weight = work.row_weights.empty() ? 1.0 : double{work.row_weights[row]};
      const double target = work.targets[row];
      const double p = 1 / (1 + std::exp(-z));
      const double slope_of_loss = work.loss == LossKind::logistic  ? p - target
                                   : work.loss == LossKind::poisson ? 2 * (std::exp(z) - target)
                                                                    : 2 * (z - target);
      loss += weight * test::reference_loss(work.loss, {z}, target);
      const double output_delta = weight * slope_of_loss / work.normaliser;
      bias_gradient += output_delta;
      for (std::size_t unit = 0; unit < units; ++unit) {
        const double delta = output_delta * double{work.weights[unit]} * slope(work.activation, sum(unit));
        hidden_bias_gradient[unit] += delta;
        weight_gradient[unit] += output_delta * activated(work.activation, sum(unit));
        const float actual = result.deltas[row * units + unit];
        ASSERT_NEAR(actual, delta, 2e-6) << what << ", row " << row << ", unit " << unit;
        largest = std::max(largest, std::bit_cast<std::uint32_t>(std::abs(actual)));
      }
    }
    EXPECT_NEAR(result.status.loss, loss, 1e-5 * loss + 1e-6) << what;
    EXPECT_NEAR(result.bias_gradient, bias_gradient, 1e-5) << what;
    for (std::size_t unit = 0; unit < units; ++unit) {
      ASSERT_NEAR(result.hidden_bias_gradient[unit], hidden_bias_gradient[unit], 2e-5) << what;
      ASSERT_NEAR(result.weight_gradient[unit], weight_gradient[unit], 2e-5) << what;
    }
    EXPECT_EQ(result.status.largest_delta, largest) << what;
    EXPECT_EQ(result.status.outputs_not_finite, 0u) << what;
    EXPECT_EQ(result.status.gradient_not_finite, 0u) << what;
  }
};

TEST_F(OutputPassOnDevice, IsTheDefinitionForEveryShape) {
  for (const std::uint32_t units : {1u, 2u, 7u, 32u, 33u, 64u, 100u, 127u, 128u}) {
    for (const std::size_t rows : {1, 2, 63, 64, 65, 300})
      expect_definition(Work(units, rows, rows), std::to_string(units) + " x " + std::to_string(rows));
  }
}

TEST_F(OutputPassOnDevice, IsTheDefinitionForEveryLossAndActivation) {
  for (const LossKind loss : {LossKind::logistic, LossKind::mse, LossKind::poisson}) {
    for (const ActivationKind activation :
         {ActivationKind::linear, ActivationKind::relu, ActivationKind::sigmoid, ActivationKind::tanh}) {
      Work work(5, 150);
      work.loss = loss;
      work.activation = activation;
      expect_definition(work, std::string(to_string(loss)) + ", " + to_string(activation));
      for (std::size_t row = 0; row < 150; ++row)
        work.row_weights.push_back(static_cast<float>(row % 4) * 0.5f);
      expect_definition(work, "weighted");
    }
  }
}

TEST_F(OutputPassOnDevice, MoreRowsThanAllBlocksTakeAtOnce) {
  Work work(3, 512 * 64 + 77);
  work.normaliser = static_cast<double>(work.targets.size());
  expect_definition(work, "many rows");
}

TEST_F(OutputPassOnDevice, NonFiniteValuesAreReported) {
  for (const LossKind loss : {LossKind::logistic, LossKind::mse}) {
    for (const float bad : {INFINITY, -INFINITY, NAN}) {
      Work work(6, 100);
      work.loss = loss;
      work.activation = ActivationKind::linear;
      work.sums[70 * 6 + 4] = bad;
      // Even if the row has no weight.
      work.row_weights.assign(100, 0.0f);
      EXPECT_EQ(run(work).status.outputs_not_finite, 1u) << bad;
    }
  }
  // Finite deltas whose sums are not finite: that of a unit's weight, and that of its bias alone.
  Work far(2, 100);
  far.loss = LossKind::mse;
  far.normaliser = 1;
  far.activation = ActivationKind::linear;
  for (float& target : far.targets) target = 1e18f;
  far.weights = {1.0f, 1.0f};
  far.sums.assign(far.sums.size(), 0.0f);
  far.hidden_bias = {0.0f, 3e18f};
  far.bias = {-3e18f};
  far.sums[1] = 3e20f;
  EXPECT_EQ(run(far).status.outputs_not_finite, 0u);
  EXPECT_EQ(run(far).status.gradient_not_finite, 1u);
  Work steep(1, 100);
  steep.loss = LossKind::mse;
  steep.normaliser = 1;
  steep.activation = ActivationKind::relu;
  steep.sums.assign(100, 1e-30f);
  steep.hidden_bias = {0.0f};
  steep.weights = {1e30f};
  steep.bias = {0.0f};
  steep.targets.assign(100, -3e7f);
  EXPECT_EQ(run(steep).status.outputs_not_finite, 0u);
  EXPECT_EQ(run(steep).status.gradient_not_finite, 1u);
}

}  // namespace
}  // namespace widehash::cuda
