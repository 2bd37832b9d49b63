#include "sampled_rows.hpp"

#include <widehash/train.hpp>

#include <algorithm>

namespace widehash {

RowWeights row_weights(const Dataset& dataset) {
  RowWeights weights;
  if (!dataset.layout()->has_weights) return weights;
  double sum = 0;
  double count = 0;
  for_each_sampled_row(dataset, [&](const CodeBatchView& rows, std::size_t row, double share) {
    const double weight = sampled_weight(dataset, rows, row);
    sum += share * weight;
    count += share;
    weights.heaviest = std::max(weights.heaviest, weight);
  });
  if (count > 0) weights.mean = sum / count;
  return weights;
}

}  // namespace widehash
