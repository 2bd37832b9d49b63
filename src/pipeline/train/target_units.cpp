#include "sampled_targets.hpp"

#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace widehash {

double constant_poisson_deviance(const Dataset& dataset) {
  double weight_sum = 0;
  double target_sum = 0;
  double log_sum = 0;
  for_each_target(dataset, [&](double target, double weight, double) {
    weight_sum += weight;
    target_sum += weight * target;
    if (target > 0) log_sum += weight * target * std::log(target);
  });
  if (!(target_sum > 0)) return 0;
  return 2 * std::max(0.0, log_sum - target_sum * std::log(target_sum / weight_sum)) / weight_sum;
}

TargetUnits target_units(const Dataset& dataset) {
  // Sums distances from the first target, so that large targets with a small spread do not cancel. A double
  // has room for the squares of all floats.
  std::optional<double> first;
  double weight_sum = 0;
  double distance_sum = 0;
  for_each_target(dataset, [&](double target, double weight, double) {
    if (!first) first = target;
    weight_sum += weight;
    distance_sum += weight * (target - *first);
  });
  if (!first) return {};
  const double mean = distance_sum / weight_sum;
  double squares = 0;
  for_each_target(dataset, [&](double target, double weight, double) {
    const double distance = target - *first - mean;
    squares += weight * distance * distance;
  });
  const double deviation = std::sqrt(squares / weight_sum);
  return {*first + mean, deviation > 0 ? deviation : 1};
}

}  // namespace widehash
