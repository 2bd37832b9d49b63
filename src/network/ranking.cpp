#include "ascending_rows.hpp"

#include <widehash/error.hpp>
#include <widehash/ranking.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace widehash {
namespace {

// Logits beyond share the outermost groups; a float probability reaches 1 at a logit of about 17.
constexpr double logit_limit = 16;
// Rows that a thread looks at together, and neighbouring groups that belong to one thread: 1.5 KB, so that
// threads rarely meet in a cache line.
constexpr std::size_t piece_rows = 4096;
constexpr unsigned owned_groups_log2 = 6;

/// Takes groups in ascending order of their scores.
class RankedGroups {
 public:
  RankedGroups(double total_weight, double total_positive, std::size_t calibration_bins)
      : total_weight_(total_weight), total_positive_(total_positive), bins_(total_weight, calibration_bins) {}

  void add(const ScoreGroup& group) {
    if (group.positive > 0) {
      // Of what is not passed yet: this score and those above. Differences of large sums may be below what is left.
      const double positive = std::max(total_positive_ - positive_, group.positive);
      const double weight = std::max(total_weight_ - positive_ - negative_, group.weight());
      precision_ += group.positive * std::min(positive / weight, 1.0);
    }
    ordered_ += group.positive * (negative_ + 0.5 * group.negative);
    tied_ += group.positive * group.negative;
    positive_ += group.positive;
    negative_ += group.negative;
    bins_.add({group.weight(), group.prediction, group.positive});
  }

  /// The error bound is that of groups whose scores differ.
  RankingReport report() && {
    RankingReport report;
    report.calibration = std::move(bins_).take();
    if (total_weight_ > 0) report.positive_share = total_positive_ / total_weight_;
    const double pairs = positive_ * negative_;
    if (!(pairs > 0)) return report;
    report.auc = ordered_ / pairs;
    report.auc_error_bound = 0.5 * tied_ / pairs;
    // Sums of another order may be a last bit above.
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
  CalibrationBins bins_;
};

}  // namespace

RankingReport rank_scores(std::span<const float> scores, std::span<const float> targets,
                          std::span<const float> weights, std::size_t calibration_bins) {
  require_same_rows(scores, targets, weights);
  double total_weight = 0;
  double total_positive = 0;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    total_weight += weight_of(weights, row);
    total_positive += double{weight_of(weights, row)} * targets[row];
  }

  RankedGroups ranked(total_weight, total_positive, calibration_bins);
  for_each_score(ascending_rows(scores), [&](float score, std::span<const std::uint64_t> rows) {
    ScoreGroup group;
    for (const std::uint64_t at : rows) {
      const auto row = static_cast<std::uint32_t>(at);
      group.add(score, targets[row], weight_of(weights, row));
    }
    ranked.add(group);
  });
  RankingReport report = std::move(ranked).report();
  report.auc_error_bound = 0;
  return report;
}

ScoreHistogram::ScoreHistogram(std::size_t num_groups) : groups_(num_groups) {
  if (num_groups == 0) throw ConfigError("a score histogram needs a group");
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

  // Every thread looks at all rows, and adds those of its own groups.
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
  for (const ScoreGroup& group : groups_) ranked.add(group);
  return std::move(ranked).report();
}

}  // namespace widehash
