#include "scored_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/ranking.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// The share of correctly ordered pairs, counted pair by pair.
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

std::optional<double> exact_auc(const Floats& scores, const Floats& targets, const Floats& weights) {
  const RankingReport report = rank_scores(scores, targets, weights);
  EXPECT_EQ(report.auc_error_bound, 0);
  return report.auc;
}

TEST(RankScores, KnownSmallCases) {
  EXPECT_EQ(exact_auc(Floats{0.1f, 0.9f}, Floats{0, 1}, {}), 1.0);
  EXPECT_EQ(exact_auc(Floats{0.9f, 0.1f}, Floats{0, 1}, {}), 0.0);
  EXPECT_EQ(exact_auc(Floats{0.5f, 0.5f, 0.5f}, Floats{0, 1, 1}, {}), 0.5);
  // Pairs (pos, neg): .8>.3, .8>.6, .4>.3, .4<.6
  EXPECT_EQ(exact_auc(Floats{0.8f, 0.3f, 0.4f, 0.6f}, Floats{1, 0, 1, 0}, {}), 0.75);
}

TEST(RankScores, PrecisionHoldsForWeightsBeyondADoublesPrecision) {
  const Floats scores{-3, -2, 1, 3};
  const auto precision = [&](const Floats& targets) {
    return rank_scores(scores, targets, Floats{1e8f, 1e8f, 1e-9f, 1e-9f}).average_precision.value();
  };
  EXPECT_NEAR(precision({0, 1, 0, 1}), 1, 1e-12);
  EXPECT_NEAR(precision({1, 0, 0, 1}), 0.5, 1e-12);
  EXPECT_NEAR(precision({1, 0, 1, 0}), 0.5, 1e-12);
}

TEST(RankScores, EqualsPairCountingWithTiesAndWeights) {
  for (const int levels : {2, 7, 100000}) {
    for (const std::size_t count : {2, 3, 33, 300}) {
      const ScoredRows rows = random_rows(count, count, levels);
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

/// Average precision by definition, score by score.
double slow_precision(const Floats& scores, const Floats& targets, const Floats& weights) {
  std::vector<float> levels = scores;
  std::ranges::sort(levels);
  const auto [first, last] = std::ranges::unique(levels);
  levels.erase(first, last);
  double all_positive = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) all_positive += double{weights[i]} * targets[i];
  double sum = 0;
  for (const float level : levels) {
    double here = 0;
    double positive = 0;
    double weight = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (scores[i] < level) continue;
      positive += double{weights[i]} * targets[i];
      weight += weights[i];
      if (scores[i] == level) here += double{weights[i]} * targets[i];
    }
    if (here > 0) sum += here / all_positive * (positive / weight);
  }
  return sum;
}

TEST(RankScores, AveragePrecisionIsThatOfItsDefinition) {
  // The example of scikit-learn's documentation: precision 1, 1/2 and 2/3 at the scores 0.8, 0.4 and 0.35.
  EXPECT_NEAR(*rank_scores(Floats{0.1f, 0.4f, 0.35f, 0.8f}, Floats{0, 0, 1, 1}, {}).average_precision,
              0.5 + 0.5 * 2 / 3, 1e-12);
  EXPECT_EQ(rank_scores(Floats{0.1f, 0.4f, 0.35f, 0.8f}, Floats{0, 0, 0, 1}, {}).positive_share, 0.25);
  for (const int levels : {2, 7, 100000}) {
    for (const std::size_t count : {3, 33, 300}) {
      const ScoredRows rows = random_rows(count, count, levels);
      const RankingReport report = rank_scores(rows.predictions, rows.targets, rows.weights);
      ScoreHistogram histogram;
      histogram.add(rows.predictions, rows.targets, rows.weights);
      EXPECT_EQ(report.average_precision.has_value(), report.auc.has_value());
      if (!report.average_precision) continue;
      const double expected = slow_precision(rows.predictions, rows.targets, rows.weights);
      EXPECT_NEAR(*report.average_precision, expected, 1e-12) << levels << " " << count;
      EXPECT_NEAR(*histogram.report().average_precision, expected, levels > 1000 ? 1e-3 : 1e-12)
          << levels << " " << count;
    }
  }
}

/// DeLong's standard error for rows of equal weight, computed row by row and pair by pair.
double pair_auc_error(const Floats& scores, const Floats& targets) {
  const auto variance = [&](float of_class) {
    Floats placements;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (targets[i] != of_class) continue;
      float below = 0;
      float others = 0;
      for (std::size_t j = 0; j < scores.size(); ++j) {
        if (targets[j] == of_class) continue;
        const float apart = of_class == 1 ? scores[i] - scores[j] : scores[j] - scores[i];
        below += apart > 0 ? 1 : apart == 0 ? 0.5f : 0;
        others += 1;
      }
      placements.push_back(below / others);
    }
    const auto count = static_cast<double>(placements.size());
    double mean = 0;
    for (const float one : placements) mean += one / count;
    double squares = 0;
    for (const float one : placements) squares += (one - mean) * (one - mean);
    return squares / (count - 1) / count;
  };
  return std::sqrt(variance(1) + variance(0));
}

TEST(RankScores, StandardErrorOfTheAucIsThatOfDeLong) {
  for (const int levels : {2, 7, 100000}) {
    for (const std::size_t count : {33, 300, 1000}) {
      const ScoredRows rows = random_rows(count, count, levels);
      const double expected = pair_auc_error(rows.predictions, rows.targets);
      EXPECT_NEAR(rank_scores(rows.predictions, rows.targets, {}).auc_standard_error.value(), expected, 1e-6);
      // If all rows weigh the same, their total weight does not matter.
      const Floats weights(count, 0.3f);
      EXPECT_NEAR(rank_scores(rows.predictions, rows.targets, weights).auc_standard_error.value(), expected,
                  1e-6);
      ScoreHistogram histogram;
      histogram.add(rows.predictions, rows.targets, {});
      EXPECT_NEAR(histogram.report().auc_standard_error.value(), expected, levels > 1000 ? 1e-4 : 1e-6);
    }
  }
}

TEST(RankScores, StandardErrorIsTheSpreadOfTheAucOfSamples) {
  // Rows of very different weights, for which textbooks have no formula.
  std::vector<double> aucs;
  double errors = 0;
  constexpr std::size_t samples = 400;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    ScoredRows rows = random_rows(400, 1000 + sample, 100000);
    for (float& weight : rows.weights) weight = weight * weight * weight;
    const RankingReport report = rank_scores(rows.predictions, rows.targets, rows.weights);
    aucs.push_back(report.auc.value());
    errors += report.auc_standard_error.value() / samples;
  }
  double mean = 0;
  for (const double auc : aucs) mean += auc / samples;
  double squares = 0;
  for (const double auc : aucs) squares += (auc - mean) * (auc - mean);
  EXPECT_NEAR(errors, std::sqrt(squares / (samples - 1)), 0.1 * errors);
}

TEST(RankScores, OneRowOfAClassSaysNothingOfTheError) {
  const RankingReport report =
      rank_scores(Floats{0.2f, 0.3f, 0.4f}, Floats{1, 0, 0}, Floats{0.1f, 0.1f, 0.1f});
  EXPECT_TRUE(report.auc.has_value());
  EXPECT_FALSE(report.auc_standard_error.has_value());
}

TEST(RankScores, IsEmptyWithoutBothClasses) {
  EXPECT_FALSE(exact_auc({}, {}, {}).has_value());
  EXPECT_FALSE(exact_auc(Floats{0.2f, 0.3f}, Floats{1, 1}, {}).has_value());
  EXPECT_FALSE(exact_auc(Floats{0.2f, 0.3f}, Floats{1, 0}, Floats{1, 0}).has_value());
}

TEST(ScoreHistogram, StaysWithinItsReportedBound) {
  for (const std::size_t bins : {std::size_t{1}, std::size_t{16}, std::size_t{1000}, std::size_t{1} << 20}) {
    for (const int levels : {5, 100000}) {
      const ScoredRows rows = random_rows(5000, bins, levels);
      ScoreHistogram histogram(bins);
      histogram.add(rows.predictions, rows.targets, rows.weights);
      const double exact = exact_auc(rows.predictions, rows.targets, rows.weights).value();
      const RankingReport streaming = histogram.report();
      EXPECT_LE(std::abs(streaming.auc.value() - exact), streaming.auc_error_bound + 1e-12)
          << bins << " bins";
      const double expected_at_most = bins == 1 ? 0.5 : bins > 1000 && levels > 1000 ? 1e-4 : 0.5;
      EXPECT_LE(streaming.auc_error_bound, expected_at_most);
    }
  }
}

TEST(ScoreHistogram, HoldsForScoresBeyondTheOutermostBins) {
  ScoreHistogram histogram;
  const Floats scores{0, 1e-30f, 1e-9f, 0.5f, 1 - 6e-8f, 1};
  const Floats targets{0, 1, 0, 1, 0, 1};
  histogram.add(scores, targets, {});
  const RankingReport streaming = histogram.report();
  EXPECT_LE(std::abs(streaming.auc.value() - exact_auc(scores, targets, {}).value()),
            streaming.auc_error_bound + 1e-15);
  EXPECT_GT(streaming.auc_error_bound, 0);
}

TEST(ScoreHistogram, ThreadsAndCutsOfRowsChangeNoBit) {
  const ScoredRows rows = random_rows(30000, 6, 100000);
  ScoreHistogram whole;
  with_threads(1, [&] { whole.add(rows.predictions, rows.targets, rows.weights); });
  const RankingReport expected = whole.report();
  for (const std::size_t threads : {1, 2, 3, 8}) {
    ScoreHistogram parts;
    with_threads(threads, [&] {
      for (std::size_t begin = 0; begin < 30000; begin += 7001) {
        const auto part = [&](const Floats& all) {
          return std::span(all).subspan(begin, std::min<std::size_t>(7001, 30000 - begin));
        };
        parts.add(part(rows.predictions), part(rows.targets), part(rows.weights));
      }
    });
    const RankingReport report = parts.report();
    EXPECT_EQ(report.auc, expected.auc);
    EXPECT_EQ(report.auc_error_bound, expected.auc_error_bound);
    EXPECT_EQ(report.auc_standard_error, expected.auc_standard_error);
    ASSERT_EQ(report.calibration.size(), expected.calibration.size());
    for (std::size_t i = 0; i < report.calibration.size(); ++i) {
      EXPECT_EQ(report.calibration[i].weight, expected.calibration[i].weight);
      EXPECT_EQ(report.calibration[i].mean_prediction, expected.calibration[i].mean_prediction);
      EXPECT_EQ(report.calibration[i].mean_target, expected.calibration[i].mean_target);
    }
  }
}

TEST(RankScores, CalibrationBinsAreThoseOfSortedRows) {
  // The four rows of score 0.2 stay together, so the bins hold a quarter, half and a quarter of the weight.
  const Floats scores{0.9f, 0.2f, 0.1f, 0.2f, 0.8f, 0.2f, 0.05f, 0.2f};
  const Floats targets{1, 0, 0, 1, 1, 0, 0, 0.5f};
  const auto bins = rank_scores(scores, targets, {}, 4).calibration;
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins[0].weight, 2);
  EXPECT_NEAR(bins[0].mean_prediction, 0.075, 1e-8);
  EXPECT_EQ(bins[0].mean_target, 0);
  EXPECT_EQ(bins[1].weight, 4);
  EXPECT_NEAR(bins[1].mean_prediction, 0.2, 1e-8);
  EXPECT_EQ(bins[1].mean_target, 1.5 / 4);
  EXPECT_EQ(bins[2].weight, 2);
  EXPECT_NEAR(bins[2].mean_prediction, 0.85, 1e-8);
  EXPECT_EQ(bins[2].mean_target, 1);
}

TEST(RankScores, ZeroHasOneSignAndNegativeScoresComeFirst) {
  EXPECT_EQ(exact_auc({-0.0f, 0.0f}, {0, 1}, {}), 0.5);
  EXPECT_EQ(exact_auc({-2, -1, 0.5f}, {0, 0, 1}, {}), 1.0);
  EXPECT_EQ(exact_auc({-1, -2, 0.5f}, {1, 0, 0}, {}), 0.5);
}

TEST(RankScores, ShapesThatDoNotFitAreRefused) {
  EXPECT_THROW(exact_auc({0.5f}, {1, 0}, {}), ShapeError);
  EXPECT_THROW(exact_auc({0.5f}, {1}, {1, 1}), ShapeError);
  EXPECT_THROW(ScoreHistogram().add(Floats{0.5f}, Floats{1, 0}, {}), ShapeError);
  EXPECT_THROW(ScoreHistogram(0), ConfigError);
}

}  // namespace
}  // namespace widehash
