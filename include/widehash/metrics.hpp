#pragma once

/// \file
/// How good predictions are. p prediction, t target, w row weight; sums run over rows.
///
///     binary log loss     - sum w (t ln p + (1 - t) ln(1 - p)) / sum w       p clipped to [1e-7, 1 - 1e-7]
///     classes log loss    - sum w ln(p_t / sum_k p_k) / sum w                the same clipping of the ratio
///     accuracy            share of weight where (p >= 1/2) = (t >= 1/2); classes: where the largest p (first
///     of equals)
///                         is the target's
///     RMSE                sqrt(sum w |p - t|^2 / (K sum w)), t one-hot for K classes
///     AUC                 share of (positive, negative) weight pairs that p orders rightly, ties half
///     constant            log loss or, of regression, RMSE of the one prediction that suits the targets best: their
///                         mean, or the classes' shares. A model above it has learned nothing that it tells
///     calibration ratio   sum w p / sum w t
///     expected error      sum_b W_b / W |mean p in b - mean t in b| over calibration bins b of about equal
///     weight
///
/// A binary target between 0 and 1 counts as t w of positive and (1 - t) w of negative weight.
///
/// Metrics takes batches one after another in bounded memory. AUC is exact up to `exact_auc_rows` rows (12
/// bytes each); beyond, scores are counted in a histogram of 2^20 bins, even in the logit of p from -16
/// to 16. Pairs inside one bin count half, so the error is at most half the share of pairs that meet inside a
/// bin; that bound is reported.

#include <widehash/architecture.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace widehash {

/// What predictions mean.
enum class MetricTask {
  binary,      ///< one probability a row
  regression,  ///< one value a row
  classes      ///< K scores a row, targets are class numbers
};

/// logistic with one output: binary; mse with one: regression; K outputs: classes.
MetricTask metric_task(const Architecture& architecture) noexcept;

/// Area under the ROC curve of weighted scores, by sorting; none where one class has no weight.
/// Shapes: scores, targets [rows] (0..1); weights [rows] or empty. Throws ShapeError. Cost: O(rows log rows).
std::optional<double> exact_auc(std::span<const float> scores, std::span<const float> targets,
                                std::span<const float> weights);

struct StreamingAuc {
  std::optional<double> auc;
  double error_bound = 0;  // |auc - exact AUC| is at most this, rounding apart
};

struct CalibrationBin {
  double weight = 0;
  double mean_prediction = 0;
  double mean_target = 0;
};

/// Weight of both classes and sum of predictions, by logit of the prediction.
class ScoreHistogram {
 public:
  explicit ScoreHistogram(std::size_t num_bins = std::size_t{1} << 20);
  void add(float prediction, float target, float weight) noexcept;
  StreamingAuc auc() const;
  /// At most `num_bins` neighbouring groups of about equal weight, empty ones left out. Means are exact for
  /// the rows of a group.
  std::vector<CalibrationBin> calibration(std::size_t num_bins) const;

 private:
  struct Bin {
    double positive = 0;
    double negative = 0;
    double prediction = 0;  // sum of w p
  };
  std::vector<Bin> bins_;
};

/// What Metrics found. A value that the task does not have, or that the rows do not define, is empty.
struct MetricsReport {
  std::uint64_t rows = 0;
  double weight = 0;
  std::optional<double> log_loss;
  std::optional<double> accuracy;
  std::optional<double> rmse;
  std::optional<double> constant_log_loss;
  std::optional<double> constant_rmse;
  std::optional<double> auc;
  bool auc_is_exact = true;
  double auc_error_bound = 0;  // 0 where exact
  std::optional<double> calibration_ratio;
  std::optional<double> expected_calibration_error;
  std::vector<CalibrationBin> calibration;

  /// Whether the model is worse than a constant.
  bool is_worse_than_constant() const noexcept;
};

struct MetricsSettings {
  MetricTask task = MetricTask::binary;
  std::uint32_t outputs = 1;
  std::uint64_t exact_auc_rows = 4'000'000;
  std::size_t calibration_bins = 10;
};

class Metrics {
 public:
  /// Throws ConfigError where task and outputs disagree.
  explicit Metrics(const MetricsSettings& settings);

  /// Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty (all 1). Sums run in row
  /// order: how rows are cut into batches does not matter. Throws ShapeError; DataError for a prediction that
  /// is not finite or a target that the task does not have, naming the row since the start.
  void add(std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  MetricsReport report() const;

 private:
  void add_binary(float prediction, float target, float weight);
  void add_value(float prediction, float target, float weight) noexcept;
  void add_classes(std::span<const float> predictions, float target, float weight);
  void report_constant(MetricsReport& report) const;

  MetricsSettings settings_;
  std::uint64_t rows_ = 0;
  double weight_ = 0;
  double loss_sum_ = 0;
  double correct_ = 0;
  double squared_error_ = 0;
  double prediction_sum_ = 0;
  double target_sum_ = 0;
  // Of regression: sums of w d and w d^2, d the distance from the first target, so that large targets do not cancel.
  float first_target_ = 0;
  double distance_sum_ = 0;
  double squared_distance_sum_ = 0;
  std::vector<double> class_weights_;
  // Rows kept for the exact AUC; emptied for good once there are too many.
  bool exact_ = true;
  std::vector<float> scores_;
  std::vector<float> targets_;
  std::vector<float> weights_;
  ScoreHistogram histogram_;
};

}  // namespace widehash
