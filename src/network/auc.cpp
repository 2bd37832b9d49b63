#include <widehash/error.hpp>
#include <widehash/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace widehash {
namespace {

// Logits beyond share the outermost bins; a float probability reaches 1 at a logit of about 17.
constexpr double logit_limit = 16;

/// Rank sum over groups of equal scores, given in ascending order.
class RankSum {
 public:
  void add_group(double positive, double negative) noexcept {
    ordered_ += positive * (negative_ + 0.5 * negative);
    tied_ += positive * negative;
    positive_ += positive;
    negative_ += negative;
  }
  std::optional<double> auc() const noexcept {
    const double pairs = positive_ * negative_;
    return pairs > 0 ? std::optional(ordered_ / pairs) : std::nullopt;
  }
  double tied_share() const noexcept {
    const double pairs = positive_ * negative_;
    return pairs > 0 ? tied_ / pairs : 0;
  }

 private:
  double positive_ = 0;
  double negative_ = 0;
  double ordered_ = 0;
  double tied_ = 0;
};

}  // namespace

std::optional<double> exact_auc(std::span<const float> scores, std::span<const float> targets,
                                std::span<const float> weights) {
  if (scores.size() != targets.size() || (!weights.empty() && weights.size() != scores.size())) {
    throw ShapeError(fmt::format("AUC: {} scores, {} targets and {} weights", scores.size(), targets.size(),
                                 weights.size()));
  }
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Ties by row, so that sums run in one order.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a < b;
  });
  RankSum ranks;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double positive = 0;
    double negative = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      const std::size_t row = order[end];
      const double weight = weights.empty() ? 1.0 : weights[row];
      positive += weight * targets[row];
      negative += weight * (1.0 - targets[row]);
    }
    ranks.add_group(positive, negative);
  }
  return ranks.auc();
}

ScoreHistogram::ScoreHistogram(std::size_t num_bins) : bins_(num_bins) {
  if (num_bins == 0) throw ConfigError("a score histogram needs a bin");
}

void ScoreHistogram::add(float prediction, float target, float weight) noexcept {
  const double p = prediction;
  const double logit = p <= 0 ? -logit_limit : p >= 1 ? logit_limit : std::log(p / (1 - p));
  const auto count = static_cast<double>(bins_.size());
  const double place = (logit + logit_limit) / (2 * logit_limit) * count;
  Bin& bin = bins_[static_cast<std::size_t>(std::clamp(place, 0.0, count - 1))];
  bin.positive += double{weight} * target;
  bin.negative += weight * (1.0 - target);
  bin.prediction += weight * p;
}

StreamingAuc ScoreHistogram::auc() const {
  RankSum ranks;
  for (const Bin& bin : bins_) ranks.add_group(bin.positive, bin.negative);
  return {ranks.auc(), 0.5 * ranks.tied_share()};
}

std::vector<CalibrationBin> ScoreHistogram::calibration(std::size_t num_bins) const {
  double total = 0;
  for (const Bin& bin : bins_) total += bin.positive + bin.negative;
  std::vector<CalibrationBin> groups;
  if (!(total > 0)) return groups;

  Bin sum;
  double passed = 0;
  const auto close = [&] {
    const double weight = sum.positive + sum.negative;
    if (weight > 0) groups.push_back({weight, sum.prediction / weight, sum.positive / weight});
    sum = Bin{};
  };
  for (const Bin& bin : bins_) {
    sum.positive += bin.positive;
    sum.negative += bin.negative;
    sum.prediction += bin.prediction;
    passed += bin.positive + bin.negative;
    const double next_border = static_cast<double>(groups.size() + 1) / static_cast<double>(num_bins) * total;
    if (groups.size() + 1 < num_bins && passed >= next_border) close();
  }
  close();
  return groups;
}

}  // namespace widehash
