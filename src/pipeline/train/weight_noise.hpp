#pragma once

#include <widehash/dataset.hpp>

#include <cstdint>

namespace widehash {

/// How many times as noisy gradients are as those of rows that weigh alike, for labels of classes: with r^2 the squared
/// distance of a row's label from the shares p of the classes (1 for its own class and 0 for others),
///
///     sum w^2 r^2 / sum w r^2 * rows / sum w
///
/// 1 where rows weigh alike; above it where the rows of a rare class weigh much, which are then learnt by heart as if
/// they were many. `outputs` as of the network. Cost: two passes over the targets that are looked at, none without
/// weights.
double weight_noise(const Dataset& dataset, std::uint32_t outputs);

}  // namespace widehash
