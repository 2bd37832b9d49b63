#pragma once

#include <widehash/dataset.hpp>

namespace widehash {

/// How many times as noisy gradients are as those of rows that weigh alike, for labels y of 0 to 1 whose weighted mean
/// is p:
///
///     sum w^2 (y - p)^2 / sum w (y - p)^2 * rows / sum w
///
/// 1 where rows weigh alike; above it where the rows of a rare class weigh much, which are then learnt by heart as if
/// they were many. Cost: two passes over the targets that are looked at, none without weights.
double weight_noise(const Dataset& dataset);

}  // namespace widehash
