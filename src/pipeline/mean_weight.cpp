#include "sampled_rows.hpp"

#include <widehash/train.hpp>

namespace widehash {

double mean_weight(const Dataset& dataset) {
  if (!dataset.layout()->has_weights) return 0;
  double sum = 0;
  std::uint64_t count = 0;
  for_each_sampled_row(dataset, [&](const CodeBatchView& rows, std::size_t row) {
    sum += double{rows.weights[row]};
    ++count;
  });
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace widehash
