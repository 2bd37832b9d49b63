#pragma once

#include <widehash/dataset.hpp>

namespace widehash {

/// Returns how many times as noisy gradients are as they would be if all rows weighed the same, for labels y
/// from 0 to 1 whose weighted mean is p:
///
///     sum w^2 (y - p)^2 / sum w (y - p)^2 * rows / sum w
///
/// The result is 1 where all rows weigh the same, and larger where the rows of a rare class weigh much: these are
/// then learnt by heart as if they were many. Cost: two passes over the sampled targets, none without weights.
double weight_noise(const Dataset& dataset);

}  // namespace widehash
