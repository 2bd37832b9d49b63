#include <widehash/error.hpp>
#include <widehash/metrics.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
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

/// Bits that order as the numbers do; 0 and -0 are one number.
std::uint32_t ordered_bits(float score) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(score + 0.0f);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

/// Places of the scores in ascending order, ties by place, so that sums run in one order. Sorted by digits of 11 bits:
/// sorting by comparison took a quarter of `evaluate`.
std::vector<std::uint32_t> ascending_order(std::span<const float> scores) {
  struct Item {
    std::uint32_t key;
    std::uint32_t place;
  };
  constexpr int digit_bits = 11;
  constexpr std::size_t num_digits = std::size_t{1} << digit_bits;
  std::vector<Item> items(scores.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = {ordered_bits(scores[i]), static_cast<std::uint32_t>(i)};
  std::vector<Item> sorted(items.size());
  for (int shift = 0; shift < 32; shift += digit_bits) {
    const auto digit = [&](const Item& item) { return item.key >> shift & (num_digits - 1); };
    std::vector<std::size_t> next(num_digits + 1);
    for (const Item& item : items) ++next[digit(item) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const Item& item : items) sorted[next[digit(item)]++] = item;
    items.swap(sorted);
  }
  std::vector<std::uint32_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = items[i].place;
  return order;
}

}  // namespace

std::optional<double> exact_auc(std::span<const float> scores, std::span<const float> targets,
                                std::span<const float> weights) {
  if (scores.size() != targets.size() || (!weights.empty() && weights.size() != scores.size())) {
    throw ShapeError(fmt::format("AUC: {} scores, {} targets and {} weights", scores.size(), targets.size(),
                                 weights.size()));
  }
  if (scores.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw ShapeError(fmt::format("AUC: {} rows are too many to sort; count them in bins", scores.size()));
  }
  const std::vector<std::uint32_t> order = ascending_order(scores);
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
