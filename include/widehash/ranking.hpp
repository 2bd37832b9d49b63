#pragma once

/// \file
/// How well scores between 0 and 1 order rows, and how close they are to the outcomes. Rows are weighted and
/// have targets t from 0 to 1; a row counts as t w of positive and (1 - t) w of negative weight.
///
///     AUC             share of (positive, negative) weight pairs that scores order correctly; ties count half
///     precision       average precision: sum over scores s of (positive weight at s / all positive weight)
///                     * (positive weight at s and above / weight at s and above)
///     AUC's error     its standard error. For a positive row, v is the share of negative weight below it, ties half;
///                     for a negative row, the share of positive weight above it. n is the effective number of rows
///                     (mean_spread.hpp):
///                     error^2 = var v of positive / (n of positive - 1) + var v of negative / (n of negative - 1)
///                     (DeLong, DeLong, Clarke-Pearson 1988, for rows of equal weight)
///     calibration     see calibration.hpp
///     points          see operating_points.hpp; a threshold takes the same rows whether scores are compared as they
///                     are or are read back from their shortest text

#include <widehash/calibration.hpp>
#include <widehash/operating_points.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace widehash {

struct RankingReport {
  std::optional<double> auc;                 // empty if a class has no weight
  double auc_error_bound = 0;                // |auc - exact AUC| is at most this, except for rounding
  std::optional<double> auc_standard_error;  // empty if a class has one row
  std::optional<double> average_precision;   // empty if a class has no weight
  double positive_share = 0;                 // of the weight: the average precision of uninformative scores
  std::vector<CalibrationBin> calibration;   // without empty bins; equal scores share a bin
  std::vector<OperatingPoint> points;        // empty if no row is positive
};

/// Sums of the rows' squared weights by class, from which the effective numbers of rows follow.
struct ClassSquares {
  double positive = 0;  // of (w t)^2
  double negative = 0;  // of (w (1 - t))^2

  void add(float target, float weight) noexcept {
    const double of_positive = double{weight} * target;
    const double of_negative = weight * (1.0 - target);
    positive += of_positive * of_positive;
    negative += of_negative * of_negative;
  }
};

/// Ranks by sorting, so all results are exact. Shapes: scores, targets [rows]; weights [rows] or empty (all
/// 1). No score may be NaN. Throws ShapeError, also for more than 2^32 - 1 rows. Cost: O(rows log rows), 8
/// bytes per row.
RankingReport rank_scores(std::span<const float> scores, std::span<const float> targets,
                          std::span<const float> weights, std::size_t calibration_bins = 10);

/// Rows that have the same score, or nearly the same.
struct ScoreGroup {
  double positive = 0;  // weight
  double negative = 0;
  double prediction = 0;  // sum of w p

  double weight() const noexcept { return positive + negative; }
  void add(float score, float target, float weight) noexcept {
    positive += double{weight} * target;
    negative += weight * (1.0 - target);
    prediction += double{weight} * score;
  }
};

/// The same as rank_scores(), in memory that does not grow with the number of rows. Groups are spaced evenly
/// in the logit of the score from -16 to 16. Pairs inside a group count half, so the error of AUC is at most
/// half the share of pairs that fall into one group. Average precision and points treat all rows of a group
/// as having its lowest score.
class ScoreHistogram {
 public:
  /// Throws ConfigError for 0 groups.
  explicit ScoreHistogram(std::size_t num_groups = std::size_t{1} << 20);

  /// Shapes and errors are those of rank_scores(). The rows of a group are added in their order, regardless
  /// of the number of threads and of how rows are cut into calls.
  void add(std::span<const float> scores, std::span<const float> targets, std::span<const float> weights);

  RankingReport report(std::size_t calibration_bins = 10) const;

 private:
  std::vector<ScoreGroup> groups_;
  ClassSquares squares_;
  std::vector<std::uint32_t> places_;  // groups of the rows of a call
};

}  // namespace widehash
