#include "scored_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/metrics.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

TEST(Metrics, BinaryValuesEqualTheirDefinitions) {
  Metrics metrics({});
  metrics.add(Floats{0.8f, 0.4f, 0.5f}, Floats{1, 1, 0}, Floats{1, 2, 1});
  const MetricsReport report = metrics.report();
  EXPECT_EQ(report.rows, 3u);
  EXPECT_EQ(report.weight, 4);
  EXPECT_NEAR(report.log_loss.value(), -(std::log(0.8) + 2 * std::log(0.4) + std::log(0.5)) / 4, 1e-7);
  EXPECT_NEAR(report.accuracy.value(), 0.25, 1e-12);
  EXPECT_NEAR(report.rmse.value(), std::sqrt((0.04 + 2 * 0.36 + 0.25) / 4), 1e-7);
  EXPECT_NEAR(report.auc.value(), 1.0 / 3, 1e-12);
  EXPECT_TRUE(report.auc_is_exact);
  EXPECT_NEAR(report.calibration_ratio.value(), 2.1 / 3, 1e-7);
}

TEST(Metrics, CertainAndWrongCostsAsMuchAsTheClippingSays) {
  Metrics metrics({});
  metrics.add(Floats{0, 1}, Floats{1, 0}, {});
  EXPECT_NEAR(metrics.report().log_loss.value(), -std::log(1e-7), 1e-6);
}

/// Everything in the report, as numbers that can be compared bit by bit.
std::vector<double> all_numbers(const MetricsReport& report) {
  std::vector<double> numbers{static_cast<double>(report.rows), report.weight, report.auc_error_bound};
  for (const auto& value :
       {report.log_loss, report.accuracy, report.rmse, report.constant_log_loss, report.constant_rmse,
        report.poisson_deviance, report.constant_poisson_deviance, report.mae, report.r2, report.auc,
        report.calibration_ratio, report.expected_calibration_error, report.loss_standard_error,
        report.auc_standard_error, report.bias_standard_error}) {
    numbers.push_back(value.value_or(-1));
  }
  for (const CalibrationBin& bin : report.calibration) {
    numbers.insert(numbers.end(), {bin.weight, bin.mean_prediction, bin.mean_target});
  }
  for (const OperatingPoint& point : report.points) {
    numbers.insert(numbers.end(), {point.threshold, point.taken, point.positive, point.taken_share,
                                   point.precision, point.recall, point.lift});
  }
  return numbers;
}

MetricsSettings classes_settings() { return {.task = MetricTask::classes, .outputs = 2}; }

TEST(Metrics, NeitherBatchesNorThreadsChangeABit) {
  const ScoredRows rows = random_rows(20000, 3, 100000);
  const std::vector<MetricsSettings> all_settings{{},
                                                  {.exact_auc_rows = 9000},
                                                  {.task = MetricTask::regression},
                                                  {.task = MetricTask::counts},
                                                  classes_settings()};
  for (const MetricsSettings& settings : all_settings) {
    const std::size_t outputs = settings.outputs;
    const std::size_t num_rows = rows.targets.size() / outputs;
    const auto report = [&](std::size_t threads, std::size_t batch_rows) {
      Metrics metrics(settings);
      with_threads(threads, [&] {
        for (std::size_t begin = 0; begin < num_rows; begin += batch_rows) {
          const std::size_t count = std::min(batch_rows, num_rows - begin);
          metrics.add(std::span(rows.predictions).subspan(begin * outputs, count * outputs),
                      std::span(rows.targets).subspan(begin, count),
                      std::span(rows.weights).subspan(begin, count));
          metrics.add({}, {}, {});
        }
      });
      return all_numbers(metrics.report());
    };
    const std::vector<double> whole = report(1, num_rows);
    for (const std::size_t threads : {1, 2, 5}) {
      for (const std::size_t batch_rows : {std::size_t{77}, std::size_t{4096}, std::size_t{5000}, num_rows}) {
        EXPECT_EQ(report(threads, batch_rows), whole) << threads << " threads, batches of " << batch_rows;
      }
    }
  }
}

TEST(Metrics, SumsOfManyRowsAreThoseOfTheDefinition) {
  const ScoredRows rows = random_rows(30000, 8, 1000);
  Metrics metrics({});
  metrics.add(rows.predictions, rows.targets, rows.weights);
  long double weight = 0;
  long double loss = 0;
  long double squares = 0;
  long double correct = 0;
  for (std::size_t i = 0; i < rows.targets.size(); ++i) {
    const long double p = std::clamp(double{rows.predictions[i]}, 1e-7, 1 - 1e-7);
    const bool is_positive = rows.targets[i] == 1;
    weight += rows.weights[i];
    loss -= rows.weights[i] * std::log(is_positive ? p : 1 - p);
    squares += rows.weights[i] * std::pow(static_cast<long double>(rows.predictions[i]) - rows.targets[i], 2);
    correct += (rows.predictions[i] >= 0.5f) == is_positive ? rows.weights[i] : 0;
  }
  const MetricsReport report = metrics.report();
  EXPECT_NEAR(report.weight, static_cast<double>(weight), 1e-8);
  EXPECT_NEAR(report.log_loss.value(), static_cast<double>(loss / weight), 1e-12);
  EXPECT_NEAR(report.rmse.value(), static_cast<double>(std::sqrt(squares / weight)), 1e-12);
  EXPECT_NEAR(report.accuracy.value(), static_cast<double>(correct / weight), 1e-12);
}

TEST(Metrics, OfSeveralRefusedRowsTheFirstIsNamedAndNothingIsAdded) {
  const ScoredRows rows = random_rows(20000, 9, 1000);
  Metrics metrics({});
  const auto add = [&](const Floats& targets) { metrics.add(rows.predictions, targets, rows.weights); };
  add(rows.targets);
  const std::vector<double> before = all_numbers(metrics.report());
  for (const std::size_t first : {std::size_t{0}, std::size_t{4100}, std::size_t{19998}}) {
    Floats targets = rows.targets;
    targets[first] = 2;
    targets.back() = -1;
    with_threads(4, [&] {
      try {
        add(targets);
        ADD_FAILURE() << "accepted";
      } catch (const DataError& error) {
        EXPECT_EQ(error.row(), 20000 + first + 1);
      }
    });
    EXPECT_EQ(all_numbers(metrics.report()), before);
  }
}

TEST(Metrics, AucStreamsBeyondTheRowsKeptAndSaysSo) {
  const ScoredRows rows = random_rows(3000, 4, 100000);
  MetricsSettings settings;
  settings.exact_auc_rows = 3000;
  Metrics kept(settings);
  kept.add(rows.predictions, rows.targets, rows.weights);
  EXPECT_TRUE(kept.report().auc_is_exact);
  EXPECT_EQ(kept.report().auc_error_bound, 0);
  settings.exact_auc_rows = 2999;
  Metrics streamed(settings);
  streamed.add(rows.predictions, rows.targets, rows.weights);
  const MetricsReport report = streamed.report();
  EXPECT_FALSE(report.auc_is_exact);
  EXPECT_LE(std::abs(report.auc.value() - kept.report().auc.value()), report.auc_error_bound + 1e-12);
}

TEST(Metrics, CalibrationBinsHoldAllWeightAndAboutEqualShares) {
  const ScoredRows rows = random_rows(20000, 5, 100000);
  Metrics metrics({});
  metrics.add(rows.predictions, rows.targets, rows.weights);
  const MetricsReport report = metrics.report();
  ASSERT_EQ(report.calibration.size(), 10u);
  double weight = 0;
  double prediction = 0;
  double target = 0;
  for (const CalibrationBin& bin : report.calibration) {
    EXPECT_NEAR(bin.weight / report.weight, 0.1, 0.002);
    EXPECT_NEAR(bin.mean_prediction, bin.mean_target, 0.05);  // labels were drawn from the predictions
    weight += bin.weight;
    prediction += bin.weight * bin.mean_prediction;
    target += bin.weight * bin.mean_target;
  }
  EXPECT_NEAR(weight, report.weight, 1e-6);
  EXPECT_NEAR(prediction / target, report.calibration_ratio.value(), 1e-9);
  EXPECT_LT(report.expected_calibration_error.value(), 0.02);
}

TEST(Metrics, CalibrationErrorOfAConstantPredictionIsItsDistanceFromTheRate) {
  Metrics metrics({});
  metrics.add(Floats(8, 0.5f), Floats{1, 0, 0, 0, 0, 0, 0, 1}, {});
  const MetricsReport report = metrics.report();
  ASSERT_EQ(report.calibration.size(), 1u);
  EXPECT_NEAR(report.expected_calibration_error.value(), 0.25, 1e-12);
  EXPECT_NEAR(report.calibration_ratio.value(), 2.0, 1e-12);
}

TEST(Metrics, ClassesValuesEqualTheirDefinitions) {
  Metrics metrics({MetricTask::classes, 3});
  // The second row's scores do not add up to 1: one-against-rest scores need not.
  metrics.add(Floats{0.2f, 0.5f, 0.3f, 0.4f, 0.4f, 0.8f}, Floats{1, 0}, Floats{3, 1});
  const MetricsReport report = metrics.report();
  EXPECT_NEAR(report.log_loss.value(), -(3 * std::log(0.5) + std::log(0.25)) / 4, 1e-7);
  EXPECT_NEAR(report.accuracy.value(), 0.75, 1e-12);
  const double squares = 3 * (0.04 + 0.25 + 0.09) + (0.36 + 0.16 + 0.64);
  EXPECT_NEAR(report.rmse.value(), std::sqrt(squares / 12), 1e-7);
  EXPECT_FALSE(report.auc.has_value());
}

TEST(Metrics, RegressionHasRmseAndNoProbabilities) {
  Metrics metrics({MetricTask::regression, 1});
  metrics.add(Floats{10, -3}, Floats{12, -3}, {});
  const MetricsReport report = metrics.report();
  EXPECT_NEAR(report.rmse.value(), std::sqrt(2.0), 1e-12);
  EXPECT_FALSE(report.log_loss.has_value());
  EXPECT_FALSE(report.accuracy.has_value());
  EXPECT_FALSE(report.auc.has_value());
  EXPECT_FALSE(report.calibration_ratio.has_value()) << "of both signs";
}

TEST(Metrics, NumbersAndCountsAreCalibratedToo) {
  std::mt19937_64 random(4);
  for (const MetricTask task : {MetricTask::regression, MetricTask::counts}) {
    Floats predictions;
    Floats targets;
    for (int i = 0; i < 3000; ++i) {
      predictions.push_back(static_cast<float>(1 + random() % 500));
      targets.push_back(static_cast<float>(static_cast<std::uint64_t>(predictions.back()) + random() % 3));
    }
    MetricsSettings settings{task, 1};
    Metrics exact(settings);
    exact.add(predictions, targets, {});
    const MetricsReport report = exact.report();
    ASSERT_EQ(report.calibration.size(), 10u);
    for (const CalibrationBin& bin : report.calibration)
      EXPECT_NEAR(bin.mean_target - bin.mean_prediction, 1, 0.2);
    EXPECT_NEAR(report.expected_calibration_error.value(), 1, 0.1);
    settings.exact_auc_rows = 1000;
    Metrics grouped(settings);
    for (std::size_t row = 0; row < 3000; row += 500)
      grouped.add(std::span(predictions).subspan(row, 500), std::span(targets).subspan(row, 500), {});
    EXPECT_NEAR(grouped.report().expected_calibration_error.value(),
                report.expected_calibration_error.value(), 1e-3);
    settings.calibration_bins = 0;
    Metrics without(settings);
    without.add(predictions, targets, {});
    EXPECT_TRUE(without.report().calibration.empty());
    EXPECT_FALSE(without.report().expected_calibration_error);
  }
}

TEST(Metrics, TargetsOfBothSignsHaveNoCalibrationRatio) {
  Metrics both({MetricTask::regression, 1});
  both.add(Floats{1, -1, 0}, Floats{2, -2, 1e-6f}, {});
  EXPECT_FALSE(both.report().calibration_ratio);
  EXPECT_NEAR(both.report().mean_target.value(), 1e-6 / 3, 1e-12);
  Metrics below({MetricTask::regression, 1});
  below.add(Floats{-1, -2}, Floats{-2, 0}, {});
  EXPECT_EQ(below.report().calibration_ratio, 1.5);
}

TEST(Metrics, NoRowsHaveNoMetrics) {
  const MetricsReport report = Metrics({}).report();
  EXPECT_EQ(report.rows, 0u);
  EXPECT_FALSE(report.log_loss || report.auc || report.rmse || report.accuracy || report.calibration_ratio);
}

TEST(Metrics, OneClassHasNoAucButALoss) {
  Metrics metrics({});
  metrics.add(Floats{0.2f, 0.3f}, Floats{0, 0}, {});
  EXPECT_FALSE(metrics.report().auc.has_value());
  EXPECT_FALSE(metrics.report().calibration_ratio.has_value());
  EXPECT_TRUE(metrics.report().log_loss.has_value());
}

TEST(Metrics, RowsThatMeanNothingAreRefusedByNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [](MetricsSettings settings, const Floats& predictions, float target) {
    Metrics metrics(settings);
    metrics.add(Floats(settings.outputs, 0.5f), Floats{0}, {});
    try {
      metrics.add(predictions, Floats{target}, {});
      ADD_FAILURE() << "accepted";
    } catch (const DataError& error) {
      EXPECT_EQ(error.row(), 2u);
    }
  };
  refused({}, {nan}, 1);
  refused({}, {0.5f}, 2);
  refused({}, {0.5f}, nan);
  refused({MetricTask::counts}, {0.5f}, -1);
  refused({MetricTask::counts}, {nan}, 1);
  refused({MetricTask::counts}, {0.5f}, std::numeric_limits<float>::infinity());
  refused({MetricTask::regression}, {0.5f}, nan);
  refused({MetricTask::regression}, {0.5f}, -std::numeric_limits<float>::infinity());
  refused({MetricTask::classes, 2}, {0.5f, 0.5f}, 2);
  refused({MetricTask::classes, 2}, {0.5f, 0.5f}, 0.5f);
  for (const float weight : {nan, -1.0f, std::numeric_limits<float>::infinity()}) {
    Metrics metrics({});
    EXPECT_THROW(metrics.add(Floats{0.5f, 0.5f}, Floats{1, 0}, Floats{1, weight}), DataError) << weight;
    EXPECT_EQ(metrics.report().rows, 0u) << "nothing was added";
  }
  EXPECT_THROW(Metrics({}).add(Floats{0.5f}, Floats{1, 0}, {}), ShapeError);
  EXPECT_THROW(Metrics({MetricTask::classes, 1}), ConfigError);
  EXPECT_THROW(Metrics({MetricTask::binary, 2}), ConfigError);
  MetricsSettings no_groups;
  no_groups.score_groups = 0;
  EXPECT_THROW(Metrics{no_groups}, ConfigError);
}

TEST(Metrics, CountsHaveTheirDeviance) {
  const Floats predictions{0.5f, 2, 3, 0};
  const Floats targets{0, 3, 3, 2};
  const Floats weights{2, 1, 0.5f, 0.25f};
  Metrics metrics({.task = MetricTask::counts});
  metrics.add(predictions, targets, weights);
  const MetricsReport report = metrics.report();
  const auto deviance = [](double t, double p) { return 2 * ((t > 0 ? t * std::log(t / p) : 0) - (t - p)); };
  const double smallest = std::numeric_limits<float>::min();
  EXPECT_NEAR(*report.poisson_deviance,
              (2 * deviance(0, 0.5) + deviance(3, 2) + 0.25 * deviance(2, smallest)) / 3.75, 1e-12);
  const double mean = (3 + 1.5 + 0.5) / 3.75;
  EXPECT_NEAR(*report.constant_poisson_deviance,
              (2 * deviance(0, mean) + 1.5 * deviance(3, mean) + 0.25 * deviance(2, mean)) / 3.75, 1e-12);
  EXPECT_FALSE(report.log_loss || report.accuracy || report.auc);
  EXPECT_TRUE(report.rmse && report.constant_rmse && report.calibration_ratio);
  EXPECT_NEAR(*report.mae, (2 * 0.5 + 1 + 0.25 * 2) / 3.75, 1e-12);
  EXPECT_NEAR(*report.r2, 1 - *report.rmse * *report.rmse / (*report.constant_rmse * *report.constant_rmse),
              1e-12);
  EXPECT_STREQ(judged_by(report).name, "Poisson deviance");
  EXPECT_TRUE(report.is_worse_than_constant());
}

TEST(MetricTask, FollowsLossAndOutputs) {
  Architecture architecture;
  EXPECT_EQ(metric_task(architecture), MetricTask::binary);
  architecture.loss = LossKind::mse;
  EXPECT_EQ(metric_task(architecture), MetricTask::regression);
  architecture.loss = LossKind::poisson;
  EXPECT_EQ(metric_task(architecture), MetricTask::counts);
  architecture.outputs = 4;
  EXPECT_EQ(metric_task(architecture), MetricTask::classes);
}

}  // namespace
}  // namespace widehash
