#include <widehash/operating_points.hpp>

#include <algorithm>
#include <utility>

namespace widehash {
namespace {

// Sums in another order may be below a share by their last bits.
constexpr double rounding = 1e-12;

}  // namespace

OperatingPoints::OperatingPoints(double total_weight, double total_positive, std::span<const double> shares)
    : total_weight_(total_weight), total_positive_(total_positive) {
  if (total_positive > 0) shares_ = shares;
}

void OperatingPoints::add(double score, double weight, double positive) {
  if (shares_.empty() || !(weight > 0)) return;
  // The weight that is not passed yet. A difference of large sums may be less than the weight of this score.
  const double taken = std::max(total_weight_ - passed_weight_, weight);
  // Shares for which this score is too high have their point at the previous score.
  const auto is_too_little = [&](double share) { return taken < share * total_weight_ * (1 - rounding); };
  if (passed_weight_ > 0 && is_too_little(shares_.front())) {
    add_point();
    while (!shares_.empty() && is_too_little(shares_.front())) shares_ = shares_.subspan(1);
  }
  score_ = score;
  taken_ = taken;
  positive_ = std::min(std::max(total_positive_ - passed_positive_, positive), taken);
  passed_weight_ += weight;
  passed_positive_ += positive;
}

void OperatingPoints::add_point() {
  const double precision = positive_ / taken_;
  points_.push_back({.threshold = score_,
                     .taken = taken_,
                     .positive = positive_,
                     .taken_share = std::min(taken_ / total_weight_, 1.0),
                     .precision = precision,
                     .recall = std::min(positive_ / total_positive_, 1.0),
                     .lift = precision / (total_positive_ / total_weight_)});
}

std::vector<OperatingPoint> OperatingPoints::take() && {
  if (!shares_.empty() && passed_weight_ > 0) add_point();
  std::ranges::reverse(points_);
  return std::move(points_);
}

}  // namespace widehash
