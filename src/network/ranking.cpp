#include "ascending_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/parse_all.hpp>
#include <widehash/mean_spread.hpp>
#include <widehash/ranking.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Scores whose logits are beyond this share the outermost groups. A float probability reaches 1 at a logit of
// about 17.
constexpr double logit_limit = 16;
// Rows that a thread takes together, and log2 of the neighbouring groups that belong to one thread: 1.5 KB,
// so that threads rarely meet in a cache line.
constexpr std::size_t piece_rows = 4096;
constexpr unsigned owned_groups_log2 = 6;

/// A threshold that no row of this score is below, whether its score is read from its shortest text or from
/// its bits. As doubles, the two differ slightly.
double threshold_of(float score) {
  return std::min(double{score}, detail::parse_all<double>(fmt::format("{}", score)).value_or(score));
}

/// The lowest score of a group of a histogram.
double lowest_score(std::size_t place, std::size_t num_groups) noexcept {
  if (place == 0) return 0;
  const double share = static_cast<double>(place) / static_cast<double>(num_groups);
  return 1 / (1 + std::exp(logit_limit - 2 * logit_limit * share));
}

/// For the rows of one class, the share of the other class that they are on the right side of. The mean is
/// the AUC.
class Placements {
 public:
  void add(double weight, double share) noexcept {
    shares_ += weight * share;
    squares_ += weight * share * share;
  }

  /// The squared standard error of the mean, for a class of this weight whose rows' squared weights add up to
  /// `weight_squares`. None if the class has no more than one effective row.
  std::optional<double> error_square(double weight, double weight_squares) const noexcept {
    const double rows = effective_rows(weight, weight_squares);
    if (!are_several(rows)) return std::nullopt;
    const double mean = shares_ / weight;
    return std::max(squares_ / weight - mean * mean, 0.0) / (rows - 1);
  }

 private:
  double shares_ = 0;
  double squares_ = 0;
};

/// Ranks groups, which must come in ascending order of their scores.
class RankedGroups {
 public:
  RankedGroups(double total_weight, double total_positive, std::size_t calibration_bins)
      : total_weight_(total_weight),
        total_positive_(total_positive),
        bins_(total_weight, calibration_bins),
        points_(total_weight, total_positive, point_shares) {}

  /// `threshold` is the lowest score of the group.
  void add(double threshold, const ScoreGroup& group) {
    if (group.positive > 0) {
      // The weight that is not passed yet: this score and those above. A difference of large sums may be less
      // than the weight of this group.
      const double positive = std::max(total_positive_ - positive_, group.positive);
      const double weight = std::max(total_weight_ - positive_ - negative_, group.weight());
      precision_ += group.positive * std::min(positive / weight, 1.0);
    }
    const double negative_below = negative_ + 0.5 * group.negative;
    ordered_ += group.positive * negative_below;
    tied_ += group.positive * group.negative;
    placements_of_positive_.add(group.positive, negative_below / (total_weight_ - total_positive_));
    placements_of_negative_.add(group.negative, 1 - (positive_ + 0.5 * group.positive) / total_positive_);
    positive_ += group.positive;
    negative_ += group.negative;
    bins_.add({group.weight(), group.prediction, group.positive});
    points_.add(threshold, group.weight(), group.positive);
  }

  /// The error bound assumes that scores differ within a group.
  RankingReport report(const ClassSquares& squares) && {
    RankingReport report;
    report.calibration = std::move(bins_).take();
    report.points = std::move(points_).take();
    if (total_weight_ > 0) report.positive_share = total_positive_ / total_weight_;
    const double pairs = positive_ * negative_;
    if (!(pairs > 0)) return report;
    report.auc = ordered_ / pairs;
    report.auc_error_bound = 0.5 * tied_ / pairs;
    const auto of_positive = placements_of_positive_.error_square(positive_, squares.positive);
    const auto of_negative = placements_of_negative_.error_square(negative_, squares.negative);
    if (of_positive && of_negative) report.auc_standard_error = std::sqrt(*of_positive + *of_negative);
    // Sums in another order may be a last bit above 1.
    report.average_precision = std::min(precision_ / total_positive_, 1.0);
    return report;
  }

 private:
  double total_weight_;
  double total_positive_;
  double precision_ = 0;
  double positive_ = 0;
  double negative_ = 0;
  double ordered_ = 0;
  double tied_ = 0;
  Placements placements_of_positive_;
  Placements placements_of_negative_;
  CalibrationBins bins_;
  OperatingPoints points_;
};

}  // namespace

RankingReport rank_scores(std::span<const float> scores, std::span<const float> targets,
                          std::span<const float> weights, std::size_t calibration_bins) {
  require_same_rows(scores, targets, weights);
  double total_weight = 0;
  double total_positive = 0;
  ClassSquares squares;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    total_weight += weight_of(weights, row);
    total_positive += double{weight_of(weights, row)} * targets[row];
    squares.add(targets[row], weight_of(weights, row));
  }

  RankedGroups ranked(total_weight, total_positive, calibration_bins);
  for_each_score(ascending_rows(scores), [&](float score, std::span<const std::uint64_t> rows) {
    ScoreGroup group;
    for (const std::uint64_t at : rows) {
      const auto row = static_cast<std::uint32_t>(at);
      group.add(score, targets[row], weight_of(weights, row));
    }
    ranked.add(score, group);
  });
  RankingReport report = std::move(ranked).report(squares);
  report.auc_error_bound = 0;
  for (OperatingPoint& point : report.points)
    point.threshold = threshold_of(static_cast<float>(point.threshold));
  return report;
}

ScoreHistogram::ScoreHistogram(std::size_t num_groups) : groups_(num_groups) {
  if (num_groups == 0) throw ConfigError("a score histogram needs at least one group");
}

void ScoreHistogram::add(std::span<const float> scores, std::span<const float> targets,
                         std::span<const float> weights) {
  require_same_rows(scores, targets, weights);
  const auto num_groups = static_cast<double>(groups_.size());
  const auto place_of = [&](double p) {
    const double logit = p <= 0 ? -logit_limit : p >= 1 ? logit_limit : std::log(p / (1 - p));
    const double place = (logit + logit_limit) / (2 * logit_limit) * num_groups;
    return static_cast<std::uint32_t>(std::clamp(place, 0.0, num_groups - 1));
  };
  places_.resize(scores.size());
  parallel_for((scores.size() + piece_rows - 1) / piece_rows, [&](std::size_t piece) {
    const std::size_t begin = piece * piece_rows;
    const std::size_t end = std::min(begin + piece_rows, scores.size());
    for (std::size_t row = begin; row < end; ++row) places_[row] = place_of(scores[row]);
  });

  for (std::size_t row = 0; row < scores.size(); ++row) squares_.add(targets[row], weight_of(weights, row));
  // Every thread goes over all rows and adds those of its own groups.
  const std::size_t num_owners = std::bit_floor(current_threads());
  parallel_for(num_owners, [&](std::size_t owner) {
    for (std::size_t row = 0; row < places_.size(); ++row) {
      const std::uint32_t place = places_[row];
      if ((place >> owned_groups_log2 & (num_owners - 1)) != owner) continue;
      groups_[place].add(scores[row], targets[row], weight_of(weights, row));
    }
  });
}

RankingReport ScoreHistogram::report(std::size_t calibration_bins) const {
  double total_weight = 0;
  double total_positive = 0;
  for (const ScoreGroup& group : groups_) {
    total_weight += group.weight();
    total_positive += group.positive;
  }
  RankedGroups ranked(total_weight, total_positive, calibration_bins);
  for (std::size_t place = 0; place < groups_.size(); ++place)
    ranked.add(lowest_score(place, groups_.size()), groups_[place]);
  return std::move(ranked).report(squares_);
}

}  // namespace widehash
