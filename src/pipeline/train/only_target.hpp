#pragma once

#include <widehash/dataset.hpp>

#include <optional>

namespace widehash {

/// Returns the target shared by all rows of positive weight (their own times that of their class); nullopt
/// where two differ, or where there is no such row. Cost: a pass over the targets up to the first two that
/// differ. Throws what Dataset::open_shard() throws.
std::optional<float> only_target(const Dataset& dataset);

}  // namespace widehash
