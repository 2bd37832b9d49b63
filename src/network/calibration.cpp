#include "ascending_rows.hpp"

#include <widehash/calibration.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace widehash {
namespace {

// The sign, the exponent and the 11 leading bits of the mantissa.
constexpr unsigned group_bits = 20;

void add_row(PredictionGroup& group, float prediction, float target, float weight) noexcept {
  group.weight += weight;
  group.prediction += double{weight} * prediction;
  group.target += double{weight} * target;
}

}  // namespace

CalibrationBins::CalibrationBins(double total_weight, std::size_t num_bins)
    : total_weight_(total_weight), num_bins_(num_bins), border_(border(1)) {}

void CalibrationBins::add(const PredictionGroup& group) {
  bin_.weight += group.weight;
  bin_.prediction += group.prediction;
  bin_.target += group.target;
  passed_weight_ += group.weight;
  if (passed_weight_ >= border_) close();
}

std::vector<CalibrationBin> CalibrationBins::take() && {
  close();
  return std::move(bins_);
}

void CalibrationBins::close() {
  const double weight = bin_.weight;
  if (weight > 0 && num_bins_ > 0) bins_.push_back({weight, bin_.prediction / weight, bin_.target / weight});
  bin_ = {};
  if (border_ > passed_weight_) return;
  // One group of equal predictions with much weight may have passed very many borders. The first estimate is at
  // most one too far, so it is taken less one.
  const double share = passed_weight_ / total_weight_;
  const double passed = share < 1 ? share * static_cast<double>(num_bins_) - 1 : 0;
  next_border_ =
      share < 1 ? std::max(next_border_ + 1, static_cast<std::size_t>(std::max(passed, 0.0))) : num_bins_;
  while ((border_ = border(next_border_)) <= passed_weight_) ++next_border_;
}

/// The cumulative weight at which the i-th bin ends, counted from 1. The last bin takes all that is left.
double CalibrationBins::border(std::size_t i) const noexcept {
  if (i >= num_bins_) return std::numeric_limits<double>::infinity();
  return static_cast<double>(i) / static_cast<double>(num_bins_) * total_weight_;
}

std::vector<CalibrationBin> calibration_of(std::span<const float> predictions, std::span<const float> targets,
                                           std::span<const float> weights, std::size_t num_bins) {
  require_same_rows(predictions, targets, weights);
  double total_weight = 0;
  for (std::size_t row = 0; row < predictions.size(); ++row) total_weight += weight_of(weights, row);
  CalibrationBins bins(total_weight, num_bins);
  for_each_score(ascending_rows(predictions), [&](float score, std::span<const std::uint64_t> rows) {
    PredictionGroup group;
    for (const std::uint64_t at : rows) {
      const auto row = static_cast<std::uint32_t>(at);
      add_row(group, score, targets[row], weight_of(weights, row));
    }
    bins.add(group);
  });
  return std::move(bins).take();
}

PredictionHistogram::PredictionHistogram() : groups_(std::size_t{1} << group_bits) {}

void PredictionHistogram::add(std::span<const float> predictions, std::span<const float> targets,
                              std::span<const float> weights) {
  require_same_rows(predictions, targets, weights);
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    PredictionGroup& group = groups_[ordered_bits(predictions[row]) >> (32 - group_bits)];
    add_row(group, predictions[row], targets[row], weight_of(weights, row));
  }
}

std::vector<CalibrationBin> PredictionHistogram::calibration(std::size_t num_bins) const {
  double total_weight = 0;
  for (const PredictionGroup& group : groups_) total_weight += group.weight;
  CalibrationBins bins(total_weight, num_bins);
  for (const PredictionGroup& group : groups_) {
    if (group.weight > 0) bins.add(group);
  }
  return std::move(bins).take();
}

}  // namespace widehash
