// Forward pass and loss of a linear model in one kernel, compared with the processor's sums in double.

#include "cuda/linear_pass.hpp"

#include "cuda/slot_plan_copy.hpp"
#include "cuda/staged_rows.hpp"
#include "cuda_test.hpp"
#include "network/batches.hpp"
#include "network/reference.hpp"
#include "on_device.hpp"

#include <widehash/first_layer.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace widehash::cuda {
namespace {

struct Pass {
  StepStatus status;
  std::vector<float> deltas;
  float bias_gradient = 0;
};

class LinearPassOnDevice : public CudaTest {
 protected:
  static Pass run(const CodeBatchView& rows, LossKind loss, const std::vector<float>& weights, float bias,
                  double normaliser) {
    const DeviceContext context(0);
    StagedRows staged(context);
    staged.stage(rows);
    const SlotPlanCopy plan(context, *rows.layout, {0, rows.layout->num_columns});
    const auto device_weights = on_device(context, weights);
    const auto device_bias = on_device(context, std::vector<float>{bias});
    const DeviceBuffer<float> deltas(context, rows.num_rows, "deltas");
    const DeviceBuffer<float> bias_gradient(context, 1, "gradient");
    const auto status = on_device(context, std::vector<StepStatus>(1));
    LinearPass pass;
    Pass first;
    // Twice, because what one pass leaves behind must not reach the next.
    for (int turn = 0; turn < 2; ++turn) {
      pass.compute(context, loss, staged.take(), plan.device(), normaliser,
                   {device_weights.data(), device_bias.data(), deltas.data(), bias_gradient.data()},
                   status.data());
      const Pass result{on_host(context, status)[0], on_host(context, deltas),
                        on_host(context, bias_gradient)[0]};
      EXPECT_EQ(result.status.blocks_done, 0u);
      if (turn == 0) first = result;
      if (std::isnan(first.status.loss)) {
        EXPECT_TRUE(std::isnan(result.status.loss));
      } else {
        EXPECT_EQ(result.status.loss, first.status.loss);
      }
    }
    return first;
  }
};

std::vector<float> random_weights(std::size_t count) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> uniform(-0.5f, 0.5f);
  std::vector<float> weights(count);
  for (float& weight : weights) weight = uniform(random);
  return weights;
}

/// The raw output of every row, in double.
std::vector<double> raw_outputs(const CodeBatchView& rows, const std::vector<float>& weights, double bias) {
  const std::vector<double> wide(weights.begin(), weights.end());
  std::vector<double> outputs(rows.num_rows);
  widehash::gather_sum<double>(rows, wide, {0, rows.layout->num_columns}, 1, outputs);
  for (double& output : outputs) output += bias;
  return outputs;
}

TEST_F(LinearPassOnDevice, LossAndDeltasAreThoseOfTheDefinition) {
  for (const auto& layout : {test::plain_layout(3, 100), test::two_sizes_layout(), test::mixed_layout()}) {
    for (const std::size_t count : {1, 63, 64, 65, 300}) {
      const CodeBatch batch = test::random_batch(layout, count, count);
      const CodeBatchView rows = batch.view();
      const auto weights = random_weights(layout->num_columns);
      const std::vector<double> z = raw_outputs(rows, weights, 0.25);
      for (const LossKind kind : {LossKind::logistic, LossKind::mse, LossKind::poisson}) {
        double loss = 0;
        double bias_gradient = 0;
        std::uint32_t largest = 0;
        const Pass pass = run(rows, kind, weights, 0.25f, 50);
        for (std::size_t row = 0; row < count; ++row) {
          const double weight = rows.weights.empty() ? 1.0 : static_cast<double>(rows.weights[row]);
          const double target = rows.targets[row];
          const double p = 1 / (1 + std::exp(-z[row]));
          const double slope = kind == LossKind::logistic  ? p - target
                               : kind == LossKind::poisson ? 2 * (std::exp(z[row]) - target)
                                                           : 2 * (z[row] - target);
          loss += weight * test::reference_loss(kind, {z[row]}, target);
          bias_gradient += weight * slope / 50;
          EXPECT_NEAR(pass.deltas[row], weight * slope / 50, 1e-7 * (1 + std::abs(slope))) << "row " << row;
          largest = std::max(largest, std::bit_cast<std::uint32_t>(std::abs(pass.deltas[row])));
        }
        EXPECT_NEAR(pass.status.loss, loss, 1e-5 * loss + 1e-6) << count << " rows";
        EXPECT_NEAR(pass.bias_gradient, bias_gradient, 1e-5);
        EXPECT_EQ(pass.status.largest_delta, largest);
        EXPECT_EQ(pass.status.outputs_not_finite, 0u);
        EXPECT_EQ(pass.status.gradient_not_finite, 0u);
      }
    }
  }
}

TEST_F(LinearPassOnDevice, MoreRowsThanAllBlocksTakeAtOnce) {
  const auto layout = test::plain_layout(1, 64);
  constexpr std::size_t count = 1024 * 64 + 77;
  const CodeBatch batch = test::random_batch(layout, count, 3);
  const auto weights = random_weights(layout->num_columns);
  const std::vector<double> z = raw_outputs(batch.view(), weights, 0);
  const Pass pass = run(batch.view(), LossKind::mse, weights, 0, count);
  double loss = 0;
  for (std::size_t row = 0; row < count; ++row) {
    const double error = z[row] - static_cast<double>(batch.targets[row]);
    loss += error * error;
    ASSERT_NEAR(pass.deltas[row], 2 * error / count, 1e-9) << "row " << row;
  }
  EXPECT_NEAR(pass.status.loss, loss, 1e-6 * loss);
}

TEST_F(LinearPassOnDevice, NonFiniteValuesAreReportedOnceForAll) {
  const auto layout = test::plain_layout(1, 64);
  const CodeBatch batch = test::random_batch(layout, 100, 3);
  const auto column = static_cast<std::size_t>(batch.view().code(70, layout->blocks[0], 0));
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    for (const LossKind kind : {LossKind::logistic, LossKind::mse}) {
      // Even if every target is the one that the output is sure of, and rows have no weight.
      for (const float target : {0.0f, 1.0f}) {
        CodeBatch rows = batch;
        for (float& of_row : rows.targets) of_row = target;
        rows.weights.assign(rows.num_rows(), 0.0f);
        auto weights = random_weights(layout->num_columns);
        weights[column] = bad;
        CodeBatchView view = rows.view();
        view.weights = rows.weights;
        EXPECT_EQ(run(view, kind, weights, 0, 100).status.outputs_not_finite, 1u) << bad << ", " << target;
      }
    }
  }

  // Finite deltas whose sum is not finite.
  CodeBatch far = batch;
  for (float& target : far.targets) target = 3e38f;
  const Pass pass = run(far.view(), LossKind::mse, random_weights(layout->num_columns), 0, 1);
  EXPECT_EQ(pass.status.gradient_not_finite, 1u);
}

}  // namespace
}  // namespace widehash::cuda
