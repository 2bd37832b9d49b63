#pragma once

/// \file
/// How near predictions are to what happened: neighbouring predictions in bins of about equal weight, with the means of
/// predictions and targets of each.
///
///     bin i of B ends     behind the prediction with which i / B of all weight is passed; the last has what is left
///
/// Equal predictions share a bin, so that there may be fewer than B.

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

struct CalibrationBin {
  double weight = 0;
  double mean_prediction = 0;
  double mean_target = 0;
};

/// Rows of one prediction, or of nearly the same.
struct PredictionGroup {
  double weight = 0;
  double prediction = 0;  // sum of w p
  double target = 0;      // sum of w t
};

/// Makes bins of groups that come in ascending order of their predictions.
class CalibrationBins {
 public:
  /// `total_weight` is that of all groups to come. Without bins there are none.
  CalibrationBins(double total_weight, std::size_t num_bins);

  void add(const PredictionGroup& group);
  /// Without empty bins.
  std::vector<CalibrationBin> take() &&;

 private:
  void close();
  double border(std::size_t i) const noexcept;

  double total_weight_;
  std::size_t num_bins_;
  double passed_weight_ = 0;
  PredictionGroup bin_;
  std::vector<CalibrationBin> bins_;
  std::size_t next_border_ = 1;
  double border_;
};

/// Of any predictions, by sorting them. Shapes: predictions, targets [rows]; weights [rows] or empty (all 1); no
/// prediction is NaN. Throws ShapeError, also for more than 2^32 - 1 rows. Cost: O(rows log rows), 8 bytes a row.
std::vector<CalibrationBin> calibration_of(std::span<const float> predictions, std::span<const float> targets,
                                           std::span<const float> weights, std::size_t num_bins);

/// The same in memory that does not grow with the rows: those whose predictions differ by less than a part in two
/// thousand may share a group, 25 MB of them.
class PredictionHistogram {
 public:
  PredictionHistogram();

  /// Shapes and errors as those of calibration_of(). Rows are added in their order, however they are cut into calls.
  void add(std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  std::vector<CalibrationBin> calibration(std::size_t num_bins) const;

 private:
  std::vector<PredictionGroup> groups_;
};

}  // namespace widehash
