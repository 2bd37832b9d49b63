#include "weight_noise.hpp"

#include "class_totals.hpp"

namespace widehash {

double weight_noise(const Dataset& dataset) {
  const bool weighs = dataset.layout()->has_weights || !dataset.class_weights().empty();
  if (!weighs || !dataset.layout()->has_targets) return 1;
  const ClassTotals totals = class_totals(dataset, 1);
  const double weight_sum = totals.weights[0] + totals.weights[1];
  if (!(weight_sum > 0)) return 1;
  const double mean = totals.weights[1] / weight_sum;
  double noise = 0;
  double curvature = 0;
  for_each_target(dataset, [&](double target, double weight, double rows) {
    if (target < 0 || target > 1) return;
    const double square = (target - mean) * (target - mean);
    noise += weight / rows * weight * square;
    curvature += weight * square;
  });
  // With one class there is nothing to learn.
  return curvature > 0 ? noise / curvature * totals.num_rows / weight_sum : 1;
}

}  // namespace widehash
