#include <widehash/error.hpp>
#include <widehash/metrics.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// The share of ordered pairs, counted pair by pair.
double pair_auc(const Floats& scores, const Floats& targets, const Floats& weights) {
  double ordered = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const double weight = double{weights[i]} * targets[i] * weights[j] * (1 - targets[j]);
      pairs += weight;
      ordered += weight * (scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0);
    }
  }
  return ordered / pairs;
}

struct Rows {
  Floats predictions;
  Floats targets;
  Floats weights;
};

/// Probabilities (some tied), labels that follow them, weights.
Rows random_rows(std::size_t count, std::uint64_t seed, int levels) {
  std::mt19937_64 random(seed);
  const auto fraction = [&] { return static_cast<float>(random() >> 40) * 0x1p-24f; };
  Rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const float p = std::floor(fraction() * static_cast<float>(levels)) / static_cast<float>(levels);
    rows.predictions.push_back(p);
    rows.targets.push_back(fraction() < p ? 1.0f : 0.0f);
    rows.weights.push_back(0.5f + fraction());
  }
  return rows;
}

TEST(ExactAuc, KnownSmallCases) {
  EXPECT_EQ(exact_auc(Floats{0.1f, 0.9f}, Floats{0, 1}, {}), 1.0);
  EXPECT_EQ(exact_auc(Floats{0.9f, 0.1f}, Floats{0, 1}, {}), 0.0);
  EXPECT_EQ(exact_auc(Floats{0.5f, 0.5f, 0.5f}, Floats{0, 1, 1}, {}), 0.5);
  // Pairs (pos, neg): .8>.3, .8>.6, .4>.3, .4<.6
  EXPECT_EQ(exact_auc(Floats{0.8f, 0.3f, 0.4f, 0.6f}, Floats{1, 0, 1, 0}, {}), 0.75);
}

TEST(ExactAuc, EqualsPairCountingWithTiesAndWeights) {
  for (const int levels : {2, 7, 100000}) {
    for (const std::size_t count : {2, 3, 33, 300}) {
      const Rows rows = random_rows(count, count, levels);
      const auto auc = exact_auc(rows.predictions, rows.targets, rows.weights);
      const double expected = pair_auc(rows.predictions, rows.targets, rows.weights);
      if (std::isnan(expected)) {
        EXPECT_FALSE(auc.has_value());
      } else {
        EXPECT_NEAR(auc.value(), expected, 1e-12);
      }
    }
  }
}

TEST(ExactAuc, IsEmptyWithoutBothClasses) {
  EXPECT_FALSE(exact_auc({}, {}, {}).has_value());
  EXPECT_FALSE(exact_auc(Floats{0.2f, 0.3f}, Floats{1, 1}, {}).has_value());
  EXPECT_FALSE(exact_auc(Floats{0.2f, 0.3f}, Floats{1, 0}, Floats{1, 0}).has_value());
}

TEST(StreamingAuc, StaysWithinItsReportedBound) {
  for (const std::size_t bins : {std::size_t{1}, std::size_t{16}, std::size_t{1000}, std::size_t{1} << 20}) {
    for (const int levels : {5, 100000}) {
      const Rows rows = random_rows(5000, bins, levels);
      ScoreHistogram histogram(bins);
      for (std::size_t i = 0; i < 5000; ++i)
        histogram.add(rows.predictions[i], rows.targets[i], rows.weights[i]);
      const double exact = exact_auc(rows.predictions, rows.targets, rows.weights).value();
      const StreamingAuc streaming = histogram.auc();
      EXPECT_LE(std::abs(streaming.auc.value() - exact), streaming.error_bound + 1e-12) << bins << " bins";
      const double expected_at_most = bins == 1 ? 0.5 : bins > 1000 && levels > 1000 ? 1e-4 : 0.5;
      EXPECT_LE(streaming.error_bound, expected_at_most);
    }
  }
}

TEST(StreamingAuc, HoldsForScoresBeyondTheOutermostBins) {
  ScoreHistogram histogram;
  const Floats scores{0, 1e-30f, 1e-9f, 0.5f, 1 - 6e-8f, 1};
  const Floats targets{0, 1, 0, 1, 0, 1};
  for (std::size_t i = 0; i < scores.size(); ++i) histogram.add(scores[i], targets[i], 1);
  const StreamingAuc streaming = histogram.auc();
  EXPECT_LE(std::abs(streaming.auc.value() - exact_auc(scores, targets, {}).value()),
            streaming.error_bound + 1e-15);
  EXPECT_GT(streaming.error_bound, 0);
}

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

TEST(Metrics, HowRowsAreCutIntoBatchesDoesNotMatter) {
  const Rows rows = random_rows(1000, 3, 1000);
  Metrics whole({});
  Metrics pieces({});
  whole.add(rows.predictions, rows.targets, rows.weights);
  for (std::size_t begin = 0; begin < 1000; begin += 77) {
    const std::size_t count = std::min<std::size_t>(77, 1000 - begin);
    pieces.add(std::span(rows.predictions).subspan(begin, count),
               std::span(rows.targets).subspan(begin, count), std::span(rows.weights).subspan(begin, count));
    pieces.add({}, {}, {});
  }
  const MetricsReport a = whole.report();
  const MetricsReport b = pieces.report();
  EXPECT_EQ(a.log_loss, b.log_loss);
  EXPECT_EQ(a.auc, b.auc);
  EXPECT_EQ(a.expected_calibration_error, b.expected_calibration_error);
}

TEST(Metrics, AucStreamsBeyondTheRowsKeptAndSaysSo) {
  const Rows rows = random_rows(3000, 4, 100000);
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
  const Rows rows = random_rows(20000, 5, 100000);
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
  // The second row's scores do not add up to 1, as those of one against the rest do not.
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
  EXPECT_NEAR(report.calibration_ratio.value(), 7.0 / 9, 1e-12);
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
  refused({MetricTask::classes, 2}, {0.5f, 0.5f}, 2);
  refused({MetricTask::classes, 2}, {0.5f, 0.5f}, 0.5f);
  EXPECT_THROW(Metrics({}).add(Floats{0.5f}, Floats{1, 0}, {}), ShapeError);
  EXPECT_THROW(Metrics({MetricTask::classes, 1}), ConfigError);
  EXPECT_THROW(Metrics({MetricTask::binary, 2}), ConfigError);
}

TEST(MetricTask, FollowsLossAndOutputs) {
  Architecture architecture;
  EXPECT_EQ(metric_task(architecture), MetricTask::binary);
  architecture.loss = LossKind::mse;
  EXPECT_EQ(metric_task(architecture), MetricTask::regression);
  architecture.outputs = 4;
  EXPECT_EQ(metric_task(architecture), MetricTask::classes);
}

/// What Metrics says of predictions that are the same for every row.
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

TEST(Constant, OfOneClassCostsNothing) {
  const MetricsReport report = report_of_constant({}, {0.9f}, {1, 1}, {});
  EXPECT_EQ(*report.constant_log_loss, 0);
  EXPECT_TRUE(report.is_worse_than_constant());
}

}  // namespace
}  // namespace widehash
