#include "scored_rows.hpp"

#include <widehash/operating_points.hpp>
#include <widehash/ranking.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace widehash {
namespace {

using Floats = std::vector<float>;

/// The operating point that takes the rows of this score and above.
OperatingPoint point_at(const ScoredRows& rows, float threshold) {
  OperatingPoint point{.threshold = threshold};
  double weight = 0;
  double positive = 0;
  for (std::size_t i = 0; i < rows.predictions.size(); ++i) {
    const double of_target = double{rows.weights[i]} * rows.targets[i];
    weight += rows.weights[i];
    positive += of_target;
    if (rows.predictions[i] < threshold) continue;
    point.taken += rows.weights[i];
    point.positive += of_target;
  }
  point.taken_share = point.taken / weight;
  point.precision = point.positive / point.taken;
  point.recall = point.positive / positive;
  point.lift = point.precision * weight / positive;
  return point;
}

/// By definition: for each share, the highest of all scores at which that share is taken.
std::vector<OperatingPoint> slow_points(const ScoredRows& rows) {
  Floats scores = rows.predictions;
  std::ranges::sort(scores, std::greater());
  std::vector<OperatingPoint> points;
  for (auto share = std::rbegin(point_shares); share != std::rend(point_shares); ++share) {
    for (const float score : scores) {
      const OperatingPoint point = point_at(rows, score);
      if (point.taken_share < *share - 1e-12) continue;
      if (points.empty() || points.back().threshold != point.threshold) points.push_back(point);
      break;
    }
  }
  return points;
}

void expect_near(const std::vector<OperatingPoint>& points, const std::vector<OperatingPoint>& expected,
                 double threshold_error) {
  ASSERT_EQ(points.size(), expected.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(points[i].threshold, expected[i].threshold, threshold_error) << i;
    EXPECT_LE(points[i].threshold, expected[i].threshold) << i;
    EXPECT_NEAR(points[i].taken, expected[i].taken, 1e-9) << i;
    EXPECT_NEAR(points[i].positive, expected[i].positive, 1e-9) << i;
    EXPECT_NEAR(points[i].taken_share, expected[i].taken_share, 1e-12) << i;
    EXPECT_NEAR(points[i].precision, expected[i].precision, 1e-12) << i;
    EXPECT_NEAR(points[i].recall, expected[i].recall, 1e-12) << i;
    EXPECT_NEAR(points[i].lift, expected[i].lift, 1e-9) << i;
  }
}

TEST(OperatingPoints, AreThoseOfTheirDefinition) {
  for (const int levels : {2, 7, 300, 100000}) {
    for (const std::size_t count : {1, 2, 33, 300, 1500}) {
      ScoredRows rows = random_rows(count, count + static_cast<std::size_t>(levels), levels);
      rows.targets.front() = 1;
      for (const bool has_weights : {true, false}) {
        if (!has_weights) rows.weights.assign(count, 1.0f);
        const auto expected = slow_points(rows);
        // A threshold may be the number that the shortest text of a score stands for.
        expect_near(rank_scores(rows.predictions, rows.targets, rows.weights).points, expected, 1e-7);
        // Groups are 32 / 2^20 apart in the logit: a few of 100,000 score levels share a group, but fewer
        // levels do not.
        if (levels > 300) continue;
        ScoreHistogram histogram;
        histogram.add(rows.predictions, rows.targets, rows.weights);
        expect_near(histogram.report().points, expected, 1e-5);
      }
    }
  }
}

TEST(OperatingPoints, ATenthOfTheRowsByHand) {
  // Of the ten rows, the best one is positive, as are two of the best five and three of all.
  const Floats scores{0.9f, 0.8f, 0.7f, 0.6f, 0.5f, 0.4f, 0.3f, 0.2f, 0.1f, 0.05f};
  const Floats targets{1, 0, 0, 1, 0, 0, 1, 0, 0, 0};
  const auto points = rank_scores(scores, targets, {}).points;
  ASSERT_EQ(points.size(), 3u);  // for a tenth and all smaller shares, a fifth, and half
  EXPECT_EQ(points[0].threshold, 0.9f);
  EXPECT_EQ(points[0].taken, 1);
  EXPECT_EQ(points[0].precision, 1);
  EXPECT_NEAR(points[0].recall, 1.0 / 3, 1e-15);
  EXPECT_NEAR(points[0].lift, 10.0 / 3, 1e-15);
  EXPECT_EQ(points[1].taken, 2);
  EXPECT_EQ(points[1].precision, 0.5);
  EXPECT_EQ(points[2].threshold, 0.5f);
  EXPECT_EQ(points[2].taken_share, 0.5);
  EXPECT_EQ(points[2].precision, 0.4);
}

TEST(OperatingPoints, RowsWithoutWeightAreNotTakenAndWithoutPositiveOnesThereAreNone) {
  const auto points = rank_scores(Floats{0.9f, 0.5f, 0.1f}, Floats{0, 1, 0}, Floats{0, 1, 1}).points;
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].threshold, 0.5f);
  EXPECT_EQ(points[0].precision, 1);
  EXPECT_TRUE(rank_scores(Floats{0.9f, 0.5f}, Floats{0, 0}, {}).points.empty());
  EXPECT_TRUE(rank_scores({}, {}, {}).points.empty());
  EXPECT_TRUE(ScoreHistogram().report().points.empty());
}

TEST(OperatingPoints, OfWeightsBeyondADoublesPrecisionNoThresholdIsAboveAll) {
  const auto points =
      rank_scores(Floats{-3, -2, 1, 3}, Floats{1, 0, 1, 1}, Floats{1e8f, 1e8f, 1e-9f, 1e-9f}).points;
  for (const OperatingPoint& point : points) {
    EXPECT_GT(point.taken, 0);
    EXPECT_LE(point.precision, 1);
    EXPECT_LE(point.recall, 1);
    EXPECT_LE(point.taken_share, 1);
  }
}

}  // namespace
}  // namespace widehash
