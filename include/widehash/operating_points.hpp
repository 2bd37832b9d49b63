#pragma once

/// \file
/// What one finds who acts on the rows of the highest scores: a bank that can look into one payment of a hundred, a
/// shop that writes to a tenth of its customers. Weighted rows with targets t from 0 to 1 (ranking.hpp).
///
///     threshold   the highest score for which the rows of this score and above have the share asked for, or more
///     taken       sum of w       over rows of the threshold and above
///     positive    sum of w t     over them
///     precision   positive / taken                  how often it is right to act
///     recall      positive / all positive weight    how much of what there is to be found is found
///     lift        precision / positive share        times as often as by chance
///
/// Equal scores are taken together, so that more may be taken than was asked for.

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

/// Of the weight, the largest first, for which there are points.
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

/// Finds the points of scores that come in ascending order.
class OperatingPoints {
 public:
  /// `shares` of all weight, from 0 to 1, the largest first, which must outlive it. Of rows without positive weight
  /// there are no points.
  OperatingPoints(double total_weight, double total_positive, std::span<const double> shares);

  /// The rows of one score, or from `score` to the next one; `positive` is that of their targets.
  void add(double score, double weight, double positive);
  /// The smallest share first; of shares that end at one score, one point.
  std::vector<OperatingPoint> take() &&;

 private:
  /// Of the score that came last.
  void add_point();

  double total_weight_;
  double total_positive_;
  std::span<const double> shares_;  // that no point has yet
  double score_ = 0;                // that came last
  double taken_ = 0;                // of it and all above
  double positive_ = 0;
  double passed_weight_ = 0;  // of it and all below
  double passed_positive_ = 0;
  std::vector<OperatingPoint> points_;  // the largest share first
};

}  // namespace widehash
