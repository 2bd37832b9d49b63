#pragma once

/// \file
/// Metrics of predictions. p prediction, t target, w row weight; sums run over rows.
///
///     binary log loss     - sum w (t ln p + (1 - t) ln(1 - p)) / sum w       p clipped to [1e-7, 1 - 1e-7]
///     classes log loss    - sum w ln(p_t / sum_k p_k) / sum w                the same clipping of the ratio
///     accuracy            share of weight where (p >= 1/2) = (t >= 1/2)
///                         classes: where the largest p (the first of equal ones) is the target's
///     RMSE                sqrt(sum w |p - t|^2 / (K sum w)), t one-hot for K classes
///     MAE, R2             sum w |p - t| / sum w;  1 - RMSE^2 / constant^2      for numbers and counts
///     Poisson deviance    2 sum w (t ln(t / p) - (t - p)) / sum w      for counts; p at least the smallest float
///     AUC, precision      see ranking.hpp
///     standard errors     how far a figure may be from that of all possible rows: see mean_spread.hpp, for AUC
///                         ranking.hpp. RMSE: the error of the mean square / (2 RMSE). Calibration ratio r: the error
///                         of the mean of p - r t / the mean of t
///     of each class       see class_metrics.hpp
///     constant            log loss, deviance or RMSE of the one prediction that fits the targets best: their mean,
///                         or the shares of the classes. A model with a higher figure has learned nothing useful
///     calibration ratio   sum w p / sum w t; none if targets of both signs cancel
///     expected error      sum_b W_b / W |mean p in b - mean t in b| over the bins b of calibration.hpp
///
/// A binary target between 0 and 1 counts as t w of positive and (1 - t) w of negative weight.
///
/// Metrics takes batches one after another in bounded memory. AUC and calibration are exact up to
/// `exact_auc_rows` rows (12 bytes each). Beyond that, scores are counted in a ScoreHistogram of
/// `score_groups` (24 bytes each), whose bound of the error of AUC is reported; numbers and counts are
/// counted in a PredictionHistogram. A class takes 56 bytes and its name. With up to `confusion_classes`
/// classes, the matrix takes 8 bytes for each pair of them.

#include <widehash/architecture.hpp>
#include <widehash/calibration.hpp>
#include <widehash/class_metrics.hpp>
#include <widehash/loss_blocks.hpp>
#include <widehash/metric_sums.hpp>
#include <widehash/operating_points.hpp>
#include <widehash/ranking.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace widehash {

/// What predictions mean.
enum class MetricTask {
  binary,      ///< one probability per row
  regression,  ///< one value per row
  counts,      ///< one expected count or rate per row
  classes      ///< K scores per row, targets are class numbers
};

/// Returns binary for logistic with one output, regression for mse with one, counts for poisson with one,
/// classes for several outputs.
MetricTask metric_task(const Architecture& architecture) noexcept;

/// The results of Metrics. A value is empty if the task does not have it or the rows do not define it.
struct MetricsReport {
  std::uint64_t rows = 0;
  double weight = 0;
  std::optional<double> mean_prediction;  // weighted, for one output; so is mean_target
  std::optional<double> mean_target;
  std::optional<double> log_loss;
  std::optional<double> accuracy;
  std::optional<double> rmse;
  std::optional<double> constant_log_loss;
  std::optional<double> constant_rmse;
  std::optional<double> mae;
  std::optional<double> r2;  // none if all targets are equal
  std::optional<double> poisson_deviance;
  std::optional<double> constant_poisson_deviance;
  std::optional<double> auc;
  bool auc_is_exact = true;
  double auc_error_bound = 0;  // 0 if exact
  /// The standard errors are empty if only one row counts; that of the AUC, if only one row of a class does.
  std::optional<double> loss_standard_error;  // of the figure of judged_by()
  std::optional<double> auc_standard_error;
  std::optional<double> bias_standard_error;  // of mean_prediction - mean_target
  std::optional<double> calibration_ratio_standard_error;
  std::optional<double> average_precision;  // from groups of scores if AUC is not exact
  std::optional<double> positive_share;     // of the weight: the average precision of guessing
  std::optional<double> calibration_ratio;
  std::optional<double> expected_calibration_error;
  std::vector<CalibrationBin> calibration;
  /// Binary only: for the point_shares of operating_points.hpp, the smallest first.
  std::vector<OperatingPoint> points;
  std::vector<ClassMetrics> classes;  // by class number
  MacroAverages macro;                // over the classes that occur
  /// Losses (for numbers, squared errors); empty if they were not kept.
  std::vector<LossBlock> losses;
  /// Weights [K x K], one row per target; empty if it was not kept.
  std::vector<double> confusion;

  /// Whether the model is worse than a constant.
  bool is_worse_than_constant() const noexcept;
};

/// The figure that models are judged by and that early stopping watches: the log loss of probabilities, the
/// Poisson deviance of counts, the RMSE of other numbers.
struct JudgedBy {
  const char* name;
  std::optional<double> MetricsReport::*value;
  std::optional<double> MetricsReport::*constant;  // of the best constant
};
JudgedBy judged_by(MetricTask task) noexcept;
/// The figure that the report has.
JudgedBy judged_by(const MetricsReport& report) noexcept;

struct MetricsSettings {
  MetricTask task = MetricTask::binary;
  std::uint32_t outputs = 1;
  std::uint64_t exact_auc_rows = 4'000'000;
  std::size_t score_groups = std::size_t{1} << 20;
  std::size_t calibration_bins = 10;          // 0: no calibration; else numbers and counts are kept
  std::uint32_t confusion_classes = 1000;     // most classes with a confusion matrix; 0: never
  bool keeps_losses = false;                  // for loss_difference()
  std::string source = "the rows";            // the source of the rows, for errors
  std::vector<std::string> class_names = {};  // for the report; empty, or one name per output
};

class Metrics {
 public:
  /// Throws ConfigError if task and outputs disagree, or class names and outputs.
  explicit Metrics(const MetricsSettings& settings);

  /// Adds a batch. Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty (all 1). The
  /// report is the same, bit for bit, however rows are divided into batches and for any number of threads.
  /// Throws ShapeError; DataError naming the row, counted from the first row ever added, if a prediction is
  /// not finite, a target is not one of the task, or a weight is not a finite number of at least 0. If it
  /// throws, nothing is added.
  void add(std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  MetricsReport report() const;

 private:
  bool is_refused(std::span<const float> scores, float target, float weight) const noexcept;
  [[noreturn]] void refuse(std::span<const float> scores, float target, float weight,
                           std::uint64_t row) const;
  /// Adds a row with one output and returns its loss.
  double add_row(float prediction, float target, float weight, float first_target,
                 MetricSums& sums) const noexcept;
  void keep(std::span<const float> scores, std::span<const float> targets, std::span<const float> weights);
  bool is_calibrated() const noexcept;
  RankingReport ranking() const;
  std::vector<CalibrationBin> calibration_of_numbers() const;
  void report_constant(const MetricSums& sums, MetricsReport& report) const;
  std::optional<double> loss_standard_error(const MetricSums& sums) const;

  MetricsSettings settings_;
  std::uint64_t rows_ = 0;
  std::optional<float> first_target_;
  MetricSums closed_;  // of all pieces except the last
  MetricSums last_;
  std::vector<double> row_losses_;  // of the rows of one call
  LossBlocks losses_;
  std::optional<ClassSums> classes_;
  std::vector<std::uint32_t> predicted_;  // for classes: of the rows of one call
  // The rows kept for the exact ranking or calibration, or the histogram that replaces them once there are
  // too many.
  std::vector<float> scores_;
  std::vector<float> targets_;
  std::vector<float> weights_;
  std::optional<ScoreHistogram> histogram_;  // of probabilities
  std::optional<PredictionHistogram> prediction_histogram_;
};

}  // namespace widehash
