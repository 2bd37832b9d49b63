#include <widehash/error.hpp>
#include <widehash/metrics.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace widehash {
namespace {

// Half a float ulp below 1 is 6e-8: nothing nearer to 1 can be told from 1 in a float probability.
constexpr double probability_clip = 1e-7;

/// -p ln p, which is 0 at 0.
double entropy_term(double p) noexcept { return p > 0 ? -p * std::log(p) : 0; }

double clipped(double p) noexcept { return std::clamp(p, probability_clip, 1 - probability_clip); }

}  // namespace

MetricTask metric_task(const Architecture& architecture) noexcept {
  if (architecture.outputs > 1) return MetricTask::classes;
  return architecture.loss == LossKind::mse ? MetricTask::regression : MetricTask::binary;
}

Metrics::Metrics(const MetricsSettings& settings)
    : settings_(settings), histogram_(settings.task == MetricTask::binary ? std::size_t{1} << 20 : 1) {
  const bool is_classes = settings_.task == MetricTask::classes;
  if (settings_.outputs == 0 || is_classes != (settings_.outputs > 1)) {
    throw ConfigError(fmt::format("metrics: {} outputs a row for {}", settings_.outputs,
                                  is_classes ? "classes, which need 2 or more" : "a task of one output"));
  }
  if (settings_.calibration_bins == 0) throw ConfigError("metrics: calibration needs a bin");
  if (is_classes) class_weights_.resize(settings_.outputs);
}

void Metrics::add(std::span<const float> predictions, std::span<const float> targets,
                  std::span<const float> weights) {
  const std::size_t outputs = settings_.outputs;
  if (predictions.size() != targets.size() * outputs ||
      (!weights.empty() && weights.size() != targets.size())) {
    throw ShapeError(fmt::format("metrics: {} predictions of {} a row, {} targets and {} weights",
                                 predictions.size(), outputs, targets.size(), weights.size()));
  }
  for (std::size_t row = 0; row < targets.size(); ++row) {
    const float weight = weights.empty() ? 1.0f : weights[row];
    const auto scores = predictions.subspan(row * outputs, outputs);
    for (const float score : scores) {
      if (!std::isfinite(score)) throw DataError("predictions", rows_ + 1, "a prediction is not finite");
    }
    switch (settings_.task) {
      case MetricTask::binary:
        add_binary(scores[0], targets[row], weight);
        break;
      case MetricTask::regression:
        add_value(scores[0], targets[row], weight);
        break;
      case MetricTask::classes:
        add_classes(scores, targets[row], weight);
        break;
    }
    weight_ += weight;
    ++rows_;
  }
}

void Metrics::add_binary(float prediction, float target, float weight) {
  if (!(target >= 0 && target <= 1)) {
    throw DataError("targets", rows_ + 1, fmt::format("{} is not between 0 and 1", target));
  }
  const double p = clipped(prediction);
  // Targets are nearly always 0 or 1, and then one logarithm is enough.
  double loss = 0;
  if (target > 0) loss -= target * std::log(p);
  if (target < 1) loss -= (1.0 - target) * std::log1p(-p);
  loss_sum_ += weight * loss;
  if ((prediction >= 0.5f) == (target >= 0.5f)) correct_ += weight;
  add_value(prediction, target, weight);
  histogram_.add(prediction, target, weight);

  if (!exact_) return;
  if (scores_.size() == settings_.exact_auc_rows) {
    exact_ = false;
    scores_ = targets_ = weights_ = {};
    return;
  }
  scores_.push_back(prediction);
  targets_.push_back(target);
  weights_.push_back(weight);
}

void Metrics::add_value(float prediction, float target, float weight) noexcept {
  const double error = double{prediction} - target;
  squared_error_ += weight * error * error;
  prediction_sum_ += double{weight} * prediction;
  target_sum_ += double{weight} * target;
  if (rows_ == 0) first_target_ = target;
  const double distance = double{target} - first_target_;
  distance_sum_ += weight * distance;
  squared_distance_sum_ += weight * distance * distance;
}

void Metrics::add_classes(std::span<const float> predictions, float target, float weight) {
  if (!(target >= 0 && target < static_cast<float>(settings_.outputs) && target == std::floor(target))) {
    throw DataError("targets", rows_ + 1,
                    fmt::format("{} is not a class below {}", target, settings_.outputs));
  }
  const auto wanted = static_cast<std::size_t>(target);
  double sum = 0;
  double squared = 0;
  for (std::size_t k = 0; k < predictions.size(); ++k) {
    const double error = predictions[k] - (k == wanted ? 1.0 : 0.0);
    sum += predictions[k];
    squared += error * error;
  }
  // Scores of an mse network may add up to nothing or less; they are then no probabilities and the row costs
  // the most.
  const double p = sum > 0 ? predictions[wanted] / sum : 0.0;
  loss_sum_ -= weight * std::log(clipped(p));
  squared_error_ += weight * squared / settings_.outputs;
  class_weights_[wanted] += weight;
  const auto largest = std::max_element(predictions.begin(), predictions.end()) - predictions.begin();
  if (static_cast<std::size_t>(largest) == wanted) correct_ += weight;
}

void Metrics::report_constant(MetricsReport& report) const {
  double entropy = 0;
  switch (settings_.task) {
    case MetricTask::binary: {
      const double share = target_sum_ / weight_;
      report.constant_log_loss = entropy_term(share) + entropy_term(1 - share);
      return;
    }
    case MetricTask::classes:
      for (const double weight : class_weights_) entropy += entropy_term(weight / weight_);
      report.constant_log_loss = entropy;
      return;
    case MetricTask::regression:
      const double mean = distance_sum_ / weight_;
      report.constant_rmse = std::sqrt(std::max(0.0, squared_distance_sum_ / weight_ - mean * mean));
      return;
  }
}

bool MetricsReport::is_worse_than_constant() const noexcept {
  // What both lose by rounding does not count.
  const auto is_above = [](const std::optional<double>& value, const std::optional<double>& constant) {
    return value && constant && *value > *constant * (1 + 1e-6);
  };
  return is_above(log_loss, constant_log_loss) || is_above(rmse, constant_rmse);
}

MetricsReport Metrics::report() const {
  MetricsReport report;
  report.rows = rows_;
  report.weight = weight_;
  if (!(weight_ > 0)) return report;
  report.rmse = std::sqrt(squared_error_ / weight_);
  if (settings_.task != MetricTask::regression) {
    report.log_loss = loss_sum_ / weight_;
    report.accuracy = correct_ / weight_;
  }
  report_constant(report);
  if (settings_.task != MetricTask::classes && target_sum_ != 0)
    report.calibration_ratio = prediction_sum_ / target_sum_;
  if (settings_.task != MetricTask::binary) return report;

  report.auc_is_exact = exact_;
  if (exact_) {
    report.auc = exact_auc(scores_, targets_, weights_);
  } else {
    const StreamingAuc streaming = histogram_.auc();
    report.auc = streaming.auc;
    report.auc_error_bound = streaming.error_bound;
  }
  report.calibration = histogram_.calibration(settings_.calibration_bins);
  double error = 0;
  for (const CalibrationBin& bin : report.calibration) {
    error += bin.weight / weight_ * std::abs(bin.mean_prediction - bin.mean_target);
  }
  report.expected_calibration_error = error;
  return report;
}

}  // namespace widehash
