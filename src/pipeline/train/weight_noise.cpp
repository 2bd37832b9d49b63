#include "weight_noise.hpp"

#include "class_totals.hpp"

namespace widehash {

double weight_noise(const Dataset& dataset, std::uint32_t outputs) {
  const bool weighs = dataset.layout()->has_weights || !dataset.class_weights().empty();
  if (!weighs || !dataset.layout()->has_targets) return 1;
  const ClassTotals totals = class_totals(dataset, outputs);
  double weight_sum = 0;
  for (const double weight : totals.weights) weight_sum += weight;
  if (!(weight_sum > 0)) return 1;
  double squared_shares = 0;
  for (const double weight : totals.weights) squared_shares += weight / weight_sum * (weight / weight_sum);
  double noise = 0;
  double curvature = 0;
  for_each_target(dataset, [&](double target, double weight, double rows) {
    if (target < 0 || target > static_cast<double>(totals.weights.size() - 1)) return;
    const double own_share = totals.weights[static_cast<std::size_t>(target)] / weight_sum;
    const double square = 1 - 2 * own_share + squared_shares;
    noise += weight / rows * weight * square;
    curvature += weight * square;
  });
  // Of one class there is nothing to learn.
  return curvature > 0 ? noise / curvature * totals.num_rows / weight_sum : 1;
}

}  // namespace widehash
