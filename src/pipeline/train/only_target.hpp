#pragma once

#include <widehash/dataset.hpp>

#include <optional>

namespace widehash {

/// The target of all rows that weigh anything, by themselves and by their class; nothing where two differ, or where
/// there is none. Cost: a pass over the targets up to the first two that differ. Throws as Dataset::open_shard().
std::optional<float> only_target(const Dataset& dataset);

}  // namespace widehash
