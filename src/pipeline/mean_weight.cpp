#include "sampled_rows.hpp"

#include <widehash/train.hpp>

namespace widehash {

double mean_weight(const Dataset& dataset) {
  if (!dataset.layout()->has_weights) return 0;
  double sum = 0;
  double count = 0;
  for_each_sampled_row(dataset, [&](const CodeBatchView& rows, std::size_t row, double share) {
    sum += share * double{rows.weights[row]};
    count += share;
  });
  return count == 0 ? 0 : sum / count;
}

}  // namespace widehash
