#include <widehash/error.hpp>
#include <widehash/metrics.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Rows that are summed one after another; the sums of such pieces are added in order.
constexpr std::size_t piece_rows = 4096;

/// -p ln p, which is 0 at 0.
double entropy_term(double p) noexcept { return p > 0 ? -p * std::log(p) : 0; }

bool is_weight(float weight) noexcept { return weight >= 0 && std::isfinite(weight); }

/// The index of the largest score; of equal scores, the first.
std::uint32_t likeliest(std::span<const float> scores) noexcept {
  return static_cast<std::uint32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
}

std::optional<float> first_that_counts(std::span<const float> targets, std::span<const float> weights) {
  if (weights.empty()) return targets.front();
  const auto found = std::ranges::find_if(weights, [](float weight) { return weight > 0; });
  if (found == weights.end()) return std::nullopt;
  return targets[static_cast<std::size_t>(found - weights.begin())];
}

}  // namespace

MetricTask metric_task(const Architecture& architecture) noexcept {
  if (architecture.outputs > 1) return MetricTask::classes;
  if (architecture.loss == LossKind::poisson) return MetricTask::counts;
  return architecture.loss == LossKind::mse ? MetricTask::regression : MetricTask::binary;
}

JudgedBy judged_by(MetricTask task) noexcept {
  switch (task) {
    case MetricTask::regression:
      return {"RMSE", &MetricsReport::rmse, &MetricsReport::constant_rmse};
    case MetricTask::counts:
      return {"Poisson deviance", &MetricsReport::poisson_deviance,
              &MetricsReport::constant_poisson_deviance};
    case MetricTask::binary:
    case MetricTask::classes:
      break;
  }
  return {"log loss", &MetricsReport::log_loss, &MetricsReport::constant_log_loss};
}

JudgedBy judged_by(const MetricsReport& report) noexcept {
  if (report.log_loss) return judged_by(MetricTask::binary);
  return judged_by(report.poisson_deviance ? MetricTask::counts : MetricTask::regression);
}

Metrics::Metrics(const MetricsSettings& settings) : settings_(settings) {
  const bool is_classes = settings_.task == MetricTask::classes;
  if (settings_.outputs == 0 || is_classes != (settings_.outputs > 1)) {
    throw ConfigError(fmt::format("metrics: {} outputs per row for {}", settings_.outputs,
                                  is_classes ? "classes, which need 2 or more" : "a task of one output"));
  }
  const std::size_t num_names = settings_.class_names.size();
  if (num_names != 0 && !(is_classes && num_names == settings_.outputs)) {
    throw ConfigError(fmt::format("metrics: {} class names for {} outputs; give one for each class, or none",
                                  num_names, settings_.outputs));
  }
  if (settings_.score_groups == 0) throw ConfigError("metrics: score_groups must be at least 1");
  if (is_classes) classes_.emplace(settings_.outputs, settings_.outputs <= settings_.confusion_classes);
}

void Metrics::add(std::span<const float> predictions, std::span<const float> targets,
                  std::span<const float> weights) {
  const std::size_t outputs = settings_.outputs;
  const std::size_t num_rows = targets.size();
  if (predictions.size() != num_rows * outputs || (!weights.empty() && weights.size() != num_rows)) {
    throw ShapeError(fmt::format("metrics: {} predictions of {} per row, {} targets and {} weights",
                                 predictions.size(), outputs, num_rows, weights.size()));
  }
  if (num_rows == 0) return;
  const auto scores_of = [&](std::size_t row) { return predictions.subspan(row * outputs, outputs); };
  // The target of a row with weight: a row without weight may have any target.
  const auto counting_target = first_target_ ? first_target_ : first_that_counts(targets, weights);
  const float first_target = counting_target.value_or(0);

  // The first piece continues the last one of the previous call.
  const std::size_t offset = rows_ % piece_rows;
  const bool goes_on = offset != 0;
  std::vector<MetricSums> pieces((offset + num_rows + piece_rows - 1) / piece_rows);
  if (goes_on) pieces.front() = last_;
  std::vector<std::size_t> refused(pieces.size(), num_rows);
  if (classes_) predicted_.resize(num_rows);
  if (settings_.keeps_losses) row_losses_.resize(num_rows);
  parallel_for(pieces.size(), [&](std::size_t piece) {
    const std::size_t begin = piece == 0 ? 0 : piece * piece_rows - offset;
    const std::size_t end = std::min((piece + 1) * piece_rows - offset, num_rows);
    for (std::size_t row = begin; row < end; ++row) {
      const std::span<const float> scores = scores_of(row);
      const float weight = weights.empty() ? 1.0f : weights[row];
      if (is_refused(scores, targets[row], weight)) {
        refused[piece] = row;
        return;
      }
      double loss = 0;
      if (classes_) {
        predicted_[row] = likeliest(scores);
        loss = pieces[piece].add_classes(scores, static_cast<std::size_t>(targets[row]), predicted_[row],
                                         weight);
      } else {
        loss = add_row(scores[0], targets[row], weight, first_target, pieces[piece]);
      }
      if (settings_.keeps_losses) row_losses_[row] = loss;
    }
  });
  const std::size_t first_refused = *std::ranges::min_element(refused);
  if (first_refused != num_rows) {
    refuse(scores_of(first_refused), targets[first_refused], weights.empty() ? 1.0f : weights[first_refused],
           rows_ + first_refused + 1);
  }

  first_target_ = counting_target;
  if (!goes_on) closed_.add(last_);
  last_ = pieces.back();
  pieces.pop_back();
  for (const MetricSums& piece : pieces) closed_.add(piece);
  rows_ += num_rows;
  if (settings_.task == MetricTask::binary || is_calibrated()) keep(predictions, targets, weights);
  if (classes_) classes_->add(targets, predicted_, weights);
  if (settings_.keeps_losses) losses_.add(row_losses_, targets, weights);
}

bool Metrics::is_refused(std::span<const float> scores, float target, float weight) const noexcept {
  if (!is_weight(weight)) return true;
  for (const float score : scores) {
    if (!std::isfinite(score)) return true;
  }
  switch (settings_.task) {
    case MetricTask::binary:
      return !(target >= 0 && target <= 1);
    case MetricTask::classes:
      return !(target >= 0 && target < static_cast<float>(settings_.outputs) && target == std::floor(target));
    case MetricTask::counts:
      return !(target >= 0 && std::isfinite(target));
    case MetricTask::regression:
      return !std::isfinite(target);
  }
  return false;
}

void Metrics::refuse(std::span<const float> scores, float target, float weight, std::uint64_t row) const {
  if (!is_weight(weight))
    throw DataError(settings_.source, row,
                    fmt::format("weight {} is not a finite number of at least 0", weight));
  for (const float score : scores) {
    if (!std::isfinite(score))
      throw DataError(settings_.source, row,
                      "its prediction is not finite: a number in the row is too large for the model, or the "
                      "model has diverged; scaled numeric features or a smaller learning rate may help");
  }
  throw DataError(
      settings_.source, row,
      settings_.task == MetricTask::binary
          ? fmt::format("the label is {}, but this model predicts a probability: labels must be "
                        "0 to 1; evaluate it with the label it was trained on",
                        target)
      : settings_.task == MetricTask::regression
          ? fmt::format("the label is {}, which is not a finite number", target)
      : settings_.task == MetricTask::counts
          ? fmt::format("the label is {}, but this model predicts counts: labels must be 0 or above "
                        "and finite; evaluate it with the label it was trained on",
                        target)
          : fmt::format("the label is {}, which is not one of the model's classes 0 to {}", target,
                        settings_.outputs - 1));
}

double Metrics::add_row(float prediction, float target, float weight, float first_target,
                        MetricSums& sums) const noexcept {
  if (settings_.task == MetricTask::binary)
    return sums.add_probability(prediction, target, weight, first_target);
  if (settings_.task == MetricTask::counts) return sums.add_count(prediction, target, weight, first_target);
  return sums.add_number(prediction, target, weight, first_target);
}

void Metrics::keep(std::span<const float> scores, std::span<const float> targets,
                   std::span<const float> weights) {
  const bool is_in_groups = histogram_ || prediction_histogram_;
  if (!is_in_groups && scores_.size() + scores.size() > settings_.exact_auc_rows) {
    if (settings_.task == MetricTask::binary)
      histogram_.emplace(settings_.score_groups).add(scores_, targets_, weights_);
    else
      prediction_histogram_.emplace().add(scores_, targets_, weights_);
    scores_ = targets_ = weights_ = {};
  }
  if (histogram_) return histogram_->add(scores, targets, weights);
  if (prediction_histogram_) return prediction_histogram_->add(scores, targets, weights);
  scores_.insert(scores_.end(), scores.begin(), scores.end());
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  if (weights.empty() && weights_.empty()) return;  // all are 1
  weights_.resize(scores_.size() - scores.size(), 1.0f);
  weights_.insert(weights_.end(), weights.begin(), weights.end());
  weights_.resize(scores_.size(), 1.0f);
}

RankingReport Metrics::ranking() const {
  return histogram_ ? histogram_->report(settings_.calibration_bins)
                    : rank_scores(scores_, targets_, weights_, settings_.calibration_bins);
}

bool Metrics::is_calibrated() const noexcept {
  return settings_.calibration_bins > 0 && settings_.task != MetricTask::classes;
}

std::vector<CalibrationBin> Metrics::calibration_of_numbers() const {
  return prediction_histogram_ ? prediction_histogram_->calibration(settings_.calibration_bins)
                               : calibration_of(scores_, targets_, weights_, settings_.calibration_bins);
}

void Metrics::report_constant(const MetricSums& sums, MetricsReport& report) const {
  switch (settings_.task) {
    case MetricTask::binary: {
      const double share = sums.target / sums.weight;
      report.constant_log_loss = entropy_term(share) + entropy_term(1 - share);
      return;
    }
    case MetricTask::classes: {
      // Not from sums.weight, which is added up in another order: the share of a single class has to be 1.
      double weight = 0;
      for (const ClassMetrics& one : report.classes) weight += one.support;
      double entropy = 0;
      for (const ClassMetrics& one : report.classes) entropy += entropy_term(one.support / weight);
      report.constant_log_loss = entropy;
      return;
    }
    case MetricTask::counts: {
      const double mean = sums.target / sums.weight;
      report.constant_poisson_deviance =
          2 * std::max(0.0, sums.target_logs / sums.weight + entropy_term(mean));
      [[fallthrough]];
    }
    case MetricTask::regression: {
      const double mean = sums.distance / sums.weight;
      const double variance = std::max(0.0, sums.squared_distance / sums.weight - mean * mean);
      report.constant_rmse = std::sqrt(variance);
      report.mae = sums.absolute_error / sums.weight;
      if (variance > 0) report.r2 = 1 - sums.squared_error / sums.weight / variance;
      return;
    }
  }
}

std::optional<double> Metrics::loss_standard_error(const MetricSums& sums) const {
  if (settings_.task != MetricTask::regression)
    return sums.loss_spread.standard_error(sums.weight, sums.loss / sums.weight);
  const double mean_square = sums.squared_error / sums.weight;
  const auto error = sums.loss_spread.standard_error(sums.weight, mean_square);
  if (!error) return std::nullopt;
  return mean_square > 0 ? *error / (2 * std::sqrt(mean_square)) : 0;
}

bool MetricsReport::is_worse_than_constant() const noexcept {
  // A difference that comes from rounding does not count. Neither does a constant that is right about
  // everything: no model can match it, since its probabilities end before 0 and 1.
  const auto is_above = [](const std::optional<double>& value, const std::optional<double>& constant) {
    return value && constant && *constant > 0 && *value > *constant * (1 + 1e-6);
  };
  const JudgedBy figure = judged_by(*this);
  return is_above(this->*figure.value, this->*figure.constant);
}

MetricsReport Metrics::report() const {
  MetricSums sums = closed_;
  sums.add(last_);
  MetricsReport report;
  report.rows = rows_;
  report.weight = sums.weight;
  report.losses = losses_.blocks();
  if (!(sums.weight > 0)) return report;
  report.rmse = std::sqrt(sums.squared_error / sums.weight);
  if (settings_.task == MetricTask::counts) report.poisson_deviance = sums.loss / sums.weight;
  if (settings_.task == MetricTask::binary || settings_.task == MetricTask::classes) {
    report.log_loss = sums.loss / sums.weight;
    report.accuracy = sums.correct / sums.weight;
  }
  if (classes_) {
    report.classes = classes_->classes();
    for (std::size_t k = 0; k < settings_.class_names.size(); ++k)
      report.classes[k].name = settings_.class_names[k];
    report.macro = macro_averages(report.classes);
    report.confusion = classes_->confusion();
  }
  report_constant(sums, report);
  report.loss_standard_error = loss_standard_error(sums);
  if (settings_.task != MetricTask::classes) {
    report.mean_prediction = sums.prediction / sums.weight;
    report.mean_target = sums.target / sums.weight;
    report.bias_standard_error = sums.bias_standard_error();
    // If targets have both signs, their sum says nothing and may be close to 0.
    const bool has_one_sign = std::abs(sums.target) >= sums.absolute_target * (1 - 1e-9);
    if (sums.target != 0 && has_one_sign) {
      report.calibration_ratio = sums.prediction / sums.target;
      report.calibration_ratio_standard_error = sums.ratio_standard_error();
    }
  }
  if (settings_.task == MetricTask::binary) {
    RankingReport ranked = ranking();
    report.auc_is_exact = !histogram_;
    report.auc = ranked.auc;
    report.auc_error_bound = ranked.auc_error_bound;
    report.auc_standard_error = ranked.auc_standard_error;
    report.average_precision = ranked.average_precision;
    report.positive_share = ranked.positive_share;
    report.calibration = std::move(ranked.calibration);
    report.points = std::move(ranked.points);
  } else if (is_calibrated()) {
    report.calibration = calibration_of_numbers();
  }
  if (report.calibration.empty()) return report;
  double error = 0;
  for (const CalibrationBin& bin : report.calibration) {
    error += bin.weight / sums.weight * std::abs(bin.mean_prediction - bin.mean_target);
  }
  report.expected_calibration_error = error;
  return report;
}

}  // namespace widehash
