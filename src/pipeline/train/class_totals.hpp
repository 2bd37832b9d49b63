#pragma once

#include "sampled_targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace widehash {

/// The total weight of the rows of each class, and the number of all rows. With one output, the classes are 0
/// and 1, and a probability counts as a share of both. Rows are sampled as for_each_target() does.
struct ClassTotals {
  std::vector<double> weights;
  double num_rows = 0;
};

inline ClassTotals class_totals(const Dataset& dataset, std::uint32_t outputs,
                                std::uint64_t most_rows = most_sampled_rows) {
  ClassTotals totals{.weights = std::vector<double>(std::max<std::uint32_t>(outputs, 2))};
  for_each_target(
      dataset,
      [&](double target, double weight, double rows) {
        // Training refuses other targets and names their batch.
        if (target < 0 || target > static_cast<double>(totals.weights.size() - 1)) return;
        const double below = std::floor(target);
        totals.weights[static_cast<std::size_t>(below)] += weight * (1 - (target - below));
        if (target > below) totals.weights[static_cast<std::size_t>(below) + 1] += weight * (target - below);
        totals.num_rows += rows;
      },
      most_rows);
  return totals;
}

}  // namespace widehash
