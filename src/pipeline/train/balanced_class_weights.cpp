#include "class_totals.hpp"

#include <widehash/train.hpp>

#include <cstddef>
#include <numeric>

namespace widehash {

std::vector<double> balanced_class_weights(const Dataset& dataset) {
  // Reads all rows rather than a sample, because it is the rarest classes that matter here.
  std::vector<double> weights =
      class_totals(dataset, dataset.layout()->num_classes, dataset.num_rows()).weights;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t num_met = 0;
  for (const double weight : weights) num_met += weight > 0 ? 1 : 0;
  for (double& weight : weights) weight = weight > 0 ? all / (static_cast<double>(num_met) * weight) : 1;
  return weights;
}

}  // namespace widehash
