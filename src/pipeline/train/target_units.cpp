#include "sampled_rows.hpp"

#include <widehash/train.hpp>

#include <cmath>
#include <optional>

namespace widehash {
namespace {

/// Calls `look(target, weight)` for those that count in training.
template <class Look>
void for_each_target(const Dataset& dataset, const Look& look) {
  for_each_sampled_row(dataset, [&](const CodeBatchView& rows, std::size_t row, double share) {
    if (rows.targets.empty()) return;
    const double weight = share * (rows.weights.empty() ? 1.0 : double{rows.weights[row]});
    const double target = rows.targets[row];
    // Others are refused with the name of their batch.
    if (weight > 0 && std::isfinite(weight) && std::isfinite(target)) look(target, weight);
  });
}

}  // namespace

TargetUnits target_units(const Dataset& dataset) {
  // Distances from a target, so that large ones with a small spread do not cancel. Double has room for the
  // squares of all floats.
  std::optional<double> first;
  double weight_sum = 0;
  double distance_sum = 0;
  for_each_target(dataset, [&](double target, double weight) {
    if (!first) first = target;
    weight_sum += weight;
    distance_sum += weight * (target - *first);
  });
  if (!first) return {};
  const double mean = distance_sum / weight_sum;
  double squares = 0;
  for_each_target(dataset, [&](double target, double weight) {
    const double distance = target - *first - mean;
    squares += weight * distance * distance;
  });
  const double deviation = std::sqrt(squares / weight_sum);
  return {*first + mean, deviation > 0 ? deviation : 1};
}

}  // namespace widehash
