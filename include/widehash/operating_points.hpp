#pragma once

/// \file
/// What acting on the rows with the highest scores yields: a bank that can check one payment in a hundred, a
/// shop that writes to a tenth of its customers. Weighted rows with targets t from 0 to 1 (ranking.hpp).
///
///     threshold   the highest score at which the rows with this score or above have at least the share asked for
///     taken       sum of w       over the rows with the threshold or above
///     positive    sum of w t     over them
///     precision   positive / taken                  how often acting is right
///     recall      positive / all positive weight    how much of what is to be found is found
///     lift        precision / positive share        times as often as by chance
///
/// Equal scores are taken together, so more may be taken than was asked for.

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

/// The shares of the weight that have points, the largest first.
inline constexpr double point_shares[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001};

struct OperatingPoint {
  double threshold = 0;
  double taken = 0;
  double positive = 0;
  double taken_share = 0;  // of all weight
  double precision = 0;
  double recall = 0;
  double lift = 0;
};

/// Finds the points of scores that are added in ascending order.
class OperatingPoints {
 public:
  /// `shares` are shares of all weight, from 0 to 1, the largest first; they must outlive this object.
  /// Without positive weight there are no points.
  OperatingPoints(double total_weight, double total_positive, std::span<const double> shares);

  /// Adds the rows with one score, or with scores from `score` up to the next one. `positive` is the sum of w
  /// t.
  void add(double score, double weight, double positive);
  /// Returns the points, the smallest share first. Shares that end at the same score have one point.
  std::vector<OperatingPoint> take() &&;

 private:
  /// Adds the point of the last score.
  void add_point();

  double total_weight_;
  double total_positive_;
  std::span<const double> shares_;  // without a point so far
  double score_ = 0;                // the last score
  double taken_ = 0;                // of it and all above
  double positive_ = 0;
  double passed_weight_ = 0;  // of it and all below
  double passed_positive_ = 0;
  std::vector<OperatingPoint> points_;  // the largest share first
};

}  // namespace widehash
