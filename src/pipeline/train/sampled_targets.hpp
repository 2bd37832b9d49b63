#pragma once

#include "sampled_rows.hpp"

#include <cmath>

namespace widehash {

/// Calls look(target, weight, rows) for the sampled rows that count in training, each of which stands for so many
/// rows, which weigh `weight` together.
template <class Look>
void for_each_target(const Dataset& dataset, const Look& look) {
  for_each_sampled_row(dataset, [&](const CodeBatchView& rows, std::size_t row, double share) {
    if (rows.targets.empty()) return;
    const double weight = share * (rows.weights.empty() ? 1.0 : double{rows.weights[row]});
    const double target = rows.targets[row];
    // Others are refused with the name of their batch.
    if (weight > 0 && std::isfinite(weight) && std::isfinite(target)) look(target, weight, share);
  });
}

}  // namespace widehash
