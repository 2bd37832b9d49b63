#include "sampled_targets.hpp"

#include <widehash/train.hpp>

#include <cmath>
#include <optional>

namespace widehash {
TargetUnits target_units(const Dataset& dataset) {
  // Distances from a target, so that large ones with a small spread do not cancel. Double has room for the
  // squares of all floats.
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
