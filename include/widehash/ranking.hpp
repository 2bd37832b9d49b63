#pragma once

/// \file
/// How well scores between 0 and 1 order rows and how near they are to what happened, of weighted rows with
/// targets t from 0 to 1, which count as t w of positive and (1 - t) w of negative weight.
///
///     AUC             share of (positive, negative) weight pairs that scores order rightly, ties half
///     precision       average precision: sum over scores s of (positive weight at s / all positive weight)
///                     * (positive weight at s and above / weight at s and above)
///     AUC's error     its standard error. Of a positive row v is the share of negative weight below, ties half, of a
///                     negative row the share of positive weight above; n are effective rows (mean_spread.hpp):
///                     error^2 = var v of positive / (n of positive - 1) + var v of negative / (n of negative - 1)
///                     (DeLong, DeLong, Clarke-Pearson 1988, who have rows of one weight)
///     calibration     see calibration.hpp
///     points          see operating_points.hpp; by their thresholds scores that are read from their shortest text are
///                     taken as the scores themselves are

#include <widehash/calibration.hpp>
#include <widehash/operating_points.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace widehash {

struct RankingReport {
  std::optional<double> auc;                 // none where one class has no weight
  double auc_error_bound = 0;                // |auc - exact AUC| is at most this, rounding apart
  std::optional<double> auc_standard_error;  // none where a class has one row
  std::optional<double> average_precision;   // none where one class has no weight
  double positive_share = 0;  // of the weight: the average precision of scores that tell nothing
  std::vector<CalibrationBin> calibration;  // without empty bins; equal scores share one
  std::vector<OperatingPoint> points;       // none where no row is positive
};

/// Sums over rows, by which they tell how much.
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

/// By sorting, so that all of it is exact. Shapes: scores, targets [rows]; weights [rows] or empty (all 1);
/// no score is NaN. Throws ShapeError, also for more than 2^32 - 1 rows. Cost: O(rows log rows), 8 bytes a
/// row.
RankingReport rank_scores(std::span<const float> scores, std::span<const float> targets,
                          std::span<const float> weights, std::size_t calibration_bins = 10);

/// Rows with the same score, or nearly the same.
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

/// The same in memory that does not grow with the rows: groups that are even in the logit of the score from
/// -16 to 16. Pairs inside a group count half, so the error of AUC is at most half the share of pairs that
/// meet there. Average precision and points take rows of a group for rows of its lowest score.
class ScoreHistogram {
 public:
  /// Throws ConfigError for no groups.
  explicit ScoreHistogram(std::size_t num_groups = std::size_t{1} << 20);

  /// Shapes and errors as those of rank_scores(). Rows are added to a group in their order, whatever threads
  /// do it and however rows are cut into calls.
  void add(std::span<const float> scores, std::span<const float> targets, std::span<const float> weights);

  RankingReport report(std::size_t calibration_bins = 10) const;

 private:
  std::vector<ScoreGroup> groups_;
  ClassSquares squares_;
  std::vector<std::uint32_t> places_;  // of the rows of a call
};

}  // namespace widehash
