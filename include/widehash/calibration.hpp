#pragma once

/// \file
/// How close predictions are to the targets. Neighbouring predictions are put into bins of about equal
/// weight, and each bin has the mean of its predictions and the mean of its targets.
///
///     bin i of B ends     after the prediction at which i / B of the total weight is reached; the last has the rest
///
/// Equal predictions share a bin, so there may be fewer than B bins.

#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

struct CalibrationBin {
  double weight = 0;
  double mean_prediction = 0;
  double mean_target = 0;
};

/// Rows whose predictions are equal or nearly equal.
struct PredictionGroup {
  double weight = 0;
  double prediction = 0;  // sum of w p
  double target = 0;      // sum of w t
};

/// Builds bins from groups that are added in ascending order of their predictions.
class CalibrationBins {
 public:
  /// `total_weight` is the weight of all groups that will be added. With 0 `num_bins` the result is empty.
  CalibrationBins(double total_weight, std::size_t num_bins);

  void add(const PredictionGroup& group);
  /// Returns the bins, without empty ones.
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

/// Calibration of any predictions, by sorting them. Shapes: predictions, targets [rows]; weights [rows] or
/// empty (all 1). Requires that no prediction is NaN. Throws ShapeError if the sizes differ or there are more
/// than 2^32 - 1 rows. Cost: O(rows log rows) time and 8 bytes per row.
std::vector<CalibrationBin> calibration_of(std::span<const float> predictions, std::span<const float> targets,
                                           std::span<const float> weights, std::size_t num_bins);

/// Calibration in constant memory, 25 MB of groups. Rows whose predictions differ by less than one part in
/// two thousand may share a group.
class PredictionHistogram {
 public:
  PredictionHistogram();

  /// Shapes and errors are those of calibration_of(). Adds rows in their order, so the result does not depend
  /// on how they are divided among calls.
  void add(std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  std::vector<CalibrationBin> calibration(std::size_t num_bins) const;

 private:
  std::vector<PredictionGroup> groups_;
};

}  // namespace widehash
