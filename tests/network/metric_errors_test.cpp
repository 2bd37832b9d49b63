// Tests the standard errors of metrics.
#include "scored_rows.hpp"

#include <widehash/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// s / sqrt(n) of equally weighted numbers.
double error_of_mean(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  double mean = 0;
  for (const double one : numbers) mean += one / count;
  double squares = 0;
  for (const double one : numbers) squares += (one - mean) * (one - mean);
  return std::sqrt(squares / (count - 1) / count);
}

TEST(MetricErrors, StandardErrorsOfRowsOfOneWeightAreThoseOfTextbooks) {
  const ScoredRows rows = random_rows(9000, 12, 1000);
  const std::size_t num_rows = rows.targets.size();
  std::vector<double> costs;
  std::vector<double> deviances;
  std::vector<double> squares;
  std::vector<double> differences;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double p = std::clamp(double{rows.predictions[i]}, 1e-7, 1 - 1e-7);
    const double t = rows.targets[i];
    costs.push_back(t == 1 ? -std::log(p) : -std::log(1 - p));
    const double count = std::max(double{rows.predictions[i]}, double{std::numeric_limits<float>::min()});
    deviances.push_back(2 * (t == 1 ? -std::log(count) - (1 - count) : count));
    differences.push_back(double{rows.predictions[i]} - t);
    squares.push_back(differences.back() * differences.back());
  }
  const auto report_of = [&](MetricTask task, const Floats& weights) {
    Metrics metrics({.task = task});
    metrics.add(rows.predictions, rows.targets, weights);
    return metrics.report();
  };
  for (const Floats& weights : {Floats(), Floats(num_rows, 0.1f)}) {
    const MetricsReport binary = report_of(MetricTask::binary, weights);
    EXPECT_NEAR(binary.loss_standard_error.value(), error_of_mean(costs), 1e-9);
    EXPECT_NEAR(binary.bias_standard_error.value(), error_of_mean(differences), 1e-9);
    EXPECT_GT(binary.auc_standard_error.value(), 0);
    const MetricsReport counts = report_of(MetricTask::counts, weights);
    EXPECT_NEAR(counts.loss_standard_error.value(), error_of_mean(deviances), 1e-9);
    const MetricsReport numbers = report_of(MetricTask::regression, weights);
    EXPECT_NEAR(numbers.loss_standard_error.value(), error_of_mean(squares) / (2 * numbers.rmse.value()),
                1e-9);
  }
}

TEST(MetricErrors, StandardErrorsOfWeightedRowsAreTheSpreadOfSamples) {
  constexpr std::size_t samples = 300;
  std::vector<double> losses;
  double errors = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    ScoredRows rows = random_rows(300, 500 + sample, 100);
    for (float& weight : rows.weights) weight = weight * weight * weight;
    Metrics metrics({.task = MetricTask::regression});
    metrics.add(rows.predictions, rows.targets, rows.weights);
    losses.push_back(metrics.report().rmse.value());
    errors += metrics.report().loss_standard_error.value() / samples;
  }
  EXPECT_NEAR(errors, error_of_mean(losses) * std::sqrt(double{samples}), 0.1 * errors);
}

TEST(MetricErrors, StandardErrorOfTheCalibrationRatioIsTheSpreadOfSamples) {
  // Predictions that are right, far too low, and far too high.
  for (const float times : {1.0f, 0.25f, 6.0f}) {
    constexpr std::size_t samples = 400;
    std::vector<double> ratios;
    double errors = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      ScoredRows rows = random_rows(300, 900 + sample, 100);
      for (float& prediction : rows.predictions) prediction *= times;
      Metrics metrics({.task = MetricTask::regression});
      metrics.add(rows.predictions, rows.targets, rows.weights);
      ratios.push_back(metrics.report().calibration_ratio.value());
      errors += metrics.report().calibration_ratio_standard_error.value() / samples;
    }
    EXPECT_NEAR(errors, error_of_mean(ratios) * std::sqrt(double{samples}), 0.1 * errors) << times;
  }
}

TEST(MetricErrors, OneRowSaysNothingOfErrorsAndOnesOfNoSpreadHaveNone) {
  const auto report_of = [](MetricTask task, const Floats& predictions, const Floats& targets,
                            const Floats& weights) {
    Metrics metrics({.task = task});
    metrics.add(predictions, targets, weights);
    return metrics.report();
  };
  const MetricsReport one = report_of(MetricTask::binary, {0.5f, 0.4f}, {1, 0}, {0.1f, 0});
  EXPECT_FALSE(one.loss_standard_error.has_value());
  EXPECT_FALSE(one.bias_standard_error.has_value());
  const MetricsReport exact = report_of(MetricTask::regression, {7, 8, 9}, {7, 8, 9}, {});
  EXPECT_EQ(exact.loss_standard_error, 0);
  EXPECT_EQ(exact.bias_standard_error, 0);
}

}  // namespace
}  // namespace widehash
