#pragma once

#include "sampled_rows.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace widehash {

/// Calls look(target, weight, rows) for the sampled rows that count in training, of at most `most_rows`. Each
/// stands for `rows` rows, which together weigh `weight`.
template <class Look>
void for_each_target(const Dataset& dataset, const Look& look, std::uint64_t most_rows = most_sampled_rows) {
  for_each_sampled_row(
      dataset,
      [&](const CodeBatchView& rows, std::size_t row, double share) {
        if (rows.targets.empty()) return;
        const double weight = share * sampled_weight(dataset, rows, row);
        const double target = rows.targets[row];
        // Training refuses other targets and names their batch.
        if (weight > 0 && std::isfinite(weight) && std::isfinite(target)) look(target, weight, share);
      },
      most_rows);
}

}  // namespace widehash
