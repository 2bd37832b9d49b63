// The best prediction that is the same for every row, which metrics compare a model with.
#include <widehash/metrics.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// The report of Metrics for predictions that are the same for every row.
MetricsReport report_of_constant(const MetricsSettings& settings, const Floats& scores, const Floats& targets,
                                 const Floats& weights) {
  Metrics metrics(settings);
  Floats predictions;
  for (std::size_t row = 0; row < targets.size(); ++row)
    predictions.insert(predictions.end(), scores.begin(), scores.end());
  metrics.add(predictions, targets, weights);
  return metrics.report();
}

TEST(Constant, IsTheBestOfAllPredictionsThatAreTheSameForEveryRow) {
  const Floats targets{0, 1, 1, 0.25f, 0};
  const Floats weights{1, 2, 0.5f, 3, 1};
  const double mean = (2 + 0.5 + 0.75) / 7.5;
  const MetricsReport best = report_of_constant({}, {static_cast<float>(mean)}, targets, weights);
  EXPECT_NEAR(*best.constant_log_loss, *best.log_loss, 1e-7);
  EXPECT_FALSE(best.is_worse_than_constant());
  for (const float other : {0.1f, 0.4f, 0.47f, 0.9f}) {
    const MetricsReport report = report_of_constant({}, {other}, targets, weights);
    EXPECT_GT(*report.log_loss, *report.constant_log_loss);
    EXPECT_TRUE(report.is_worse_than_constant());
  }
}

TEST(Constant, OfClassesHasTheirShares) {
  MetricsSettings settings;
  settings.task = MetricTask::classes;
  settings.outputs = 3;
  const Floats targets{0, 2, 2, 2};
  const MetricsReport best = report_of_constant(settings, {0.25f, 0, 0.75f}, targets, {});
  EXPECT_NEAR(*best.constant_log_loss, *best.log_loss, 1e-6);
  EXPECT_TRUE(report_of_constant(settings, {0.5f, 0, 0.5f}, targets, {}).is_worse_than_constant());
}

TEST(Constant, OfNumbersIsTheirMeanAlsoWhereTheyAreLarge) {
  MetricsSettings settings;
  settings.task = MetricTask::regression;
  const Floats targets{1e6f, 1e6f + 1, 1e6f + 5};
  const Floats weights{1, 1, 2};
  // Mean 1e6 + 2.75, variance (2.75^2 + 1.75^2 + 2 * 2.25^2) / 4.
  const MetricsReport best = report_of_constant(settings, {1e6f + 2.75f}, targets, weights);
  EXPECT_NEAR(*best.constant_rmse, std::sqrt(20.75 / 4), 1e-9);
  EXPECT_NEAR(*best.rmse, *best.constant_rmse, 1e-6);
  EXPECT_FALSE(best.constant_log_loss.has_value());
  EXPECT_TRUE(report_of_constant(settings, {0}, targets, weights).is_worse_than_constant());
}

TEST(Constant, RowsWithoutWeightChangeNothingWhateverTheirTarget) {
  MetricsSettings settings;
  settings.task = MetricTask::regression;
  const double expected =
      *report_of_constant(settings, {0}, Floats{0.25f, 0.5f, 1}, Floats{1, 1, 2}).constant_rmse;
  for (const float masked : {0.5f, 1e8f, -9e9f, 1e30f}) {
    const MetricsReport report =
        report_of_constant(settings, {0}, Floats{masked, 0.25f, 0.5f, 1}, Floats{0, 1, 1, 2});
    EXPECT_EQ(*report.constant_rmse, expected) << masked;
    // The same holds if the first call has no other row.
    Metrics metrics(settings);
    metrics.add(Floats{0}, Floats{masked}, Floats{0});
    metrics.add(Floats{0, 0, 0}, Floats{0.25f, 0.5f, 1}, Floats{1, 1, 2});
    EXPECT_EQ(*metrics.report().constant_rmse, expected) << masked;
  }
}

TEST(Constant, OfOneClassCostsNothing) {
  const MetricsReport report = report_of_constant({}, {0.9f}, {1, 1}, {});
  EXPECT_EQ(*report.constant_log_loss, 0);
  // No model reaches that loss, so models are not compared with it.
  EXPECT_FALSE(report.is_worse_than_constant());
}

}  // namespace
}  // namespace widehash
