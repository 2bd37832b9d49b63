#include "scored_rows.hpp"

#include <widehash/calibration.hpp>
#include <widehash/error.hpp>
#include <widehash/ranking.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

/// Numbers of both signs and many sizes, some of them equal, with targets that scatter around them.
ScoredRows random_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  ScoredRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double p = i % 7 == 0 ? -2.5 : normal(random) * std::pow(10, normal(random));
    rows.predictions.push_back(static_cast<float>(p));
    rows.targets.push_back(static_cast<float>(p + normal(random)));
    rows.weights.push_back(static_cast<float>(0.5 + static_cast<double>(random() % 100) / 100));
  }
  return rows;
}

/// By definition: takes the rows in order, and closes a bin once its share is passed and the prediction changes.
std::vector<CalibrationBin> reference(const ScoredRows& rows, std::size_t num_bins) {
  std::vector<std::size_t> order(rows.predictions.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return rows.predictions[row]; });
  double total = 0;
  for (const float weight : rows.weights) total += weight;
  std::vector<CalibrationBin> bins;
  CalibrationBin bin;
  double passed = 0;
  double border = 1;
  const auto close = [&] {
    if (bin.weight > 0)
      bins.push_back({bin.weight, bin.mean_prediction / bin.weight, bin.mean_target / bin.weight});
    bin = {};
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double weight = rows.weights[order[i]];
    passed += weight;
    bin.weight += weight;
    bin.mean_prediction += weight * rows.predictions[order[i]];
    bin.mean_target += weight * rows.targets[order[i]];
    if (i + 1 < order.size() && rows.predictions[order[i + 1]] == rows.predictions[order[i]]) continue;
    const auto bins_of = static_cast<double>(num_bins);
    if (border >= bins_of || passed < border / bins_of * total) continue;
    close();
    while (border < bins_of && border / bins_of * total <= passed) ++border;
  }
  close();
  return bins;
}

void expect_near(const std::vector<CalibrationBin>& found, const std::vector<CalibrationBin>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].weight, expected[i].weight, tolerance * expected[i].weight);
    EXPECT_NEAR(found[i].mean_prediction, expected[i].mean_prediction,
                tolerance * (1e-3 + std::abs(expected[i].mean_prediction)));
    EXPECT_NEAR(found[i].mean_target, expected[i].mean_target,
                tolerance * (1 + std::abs(expected[i].mean_target)));
  }
}

TEST(Calibration, EqualsItsDefinition) {
  for (const std::size_t count : {1, 2, 9, 10, 1000, 20000}) {
    const ScoredRows rows = random_numbers(count, count);
    for (const std::size_t bins : {1, 3, 10}) {
      expect_near(calibration_of(rows.predictions, rows.targets, rows.weights, bins), reference(rows, bins),
                  1e-9);
    }
  }
  EXPECT_TRUE(calibration_of({}, {}, {}, 10).empty());
  const std::vector<float> one{1};
  EXPECT_TRUE(calibration_of(one, one, {}, 0).empty());
  EXPECT_THROW(calibration_of(one, {}, {}, 10), ShapeError);
}

TEST(Calibration, TakesNoTimeForBinsThatStayEmpty) {
  const ScoredRows rows = random_numbers(1000, 7);
  // With more bins than steps of the weight, every prediction has a bin of its own.
  const auto all = calibration_of(rows.predictions, rows.targets, rows.weights, 1'000'000);
  for (const std::size_t bins : {std::size_t{1} << 40, std::numeric_limits<std::size_t>::max()}) {
    const auto many = calibration_of(rows.predictions, rows.targets, rows.weights, bins);
    EXPECT_GE(many.size(), all.size());
    EXPECT_LE(many.size(), 1000u);
  }
  const std::vector<float> none(3, 0.0f), some{1, 2, 3};
  EXPECT_TRUE(calibration_of(some, some, none, std::numeric_limits<std::size_t>::max()).empty());
}

TEST(Calibration, OfProbabilitiesIsThatOfTheirRanking) {
  const ScoredRows rows = random_rows(5000, 3, 400);
  const auto bins = calibration_of(rows.predictions, rows.targets, rows.weights, 10);
  expect_near(bins, rank_scores(rows.predictions, rows.targets, rows.weights, 10).calibration, 1e-9);
}

TEST(Calibration, GroupsOfPredictionsAreNearIt) {
  const ScoredRows rows = random_numbers(50000, 8);
  PredictionHistogram histogram;
  const std::span<const float> predictions(rows.predictions);
  const std::span<const float> targets(rows.targets);
  const std::span<const float> weights(rows.weights);
  histogram.add(predictions.first(10), targets.first(10), weights.first(10));
  histogram.add(predictions.subspan(10), targets.subspan(10), weights.subspan(10));
  expect_near(histogram.calibration(10), calibration_of(predictions, targets, weights, 10), 5e-3);
}

}  // namespace
}  // namespace widehash
