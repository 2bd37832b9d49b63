#pragma once

#include <widehash/train.hpp>

#include <optional>

namespace widehash {

/// Where the labels of rows look as if they were in another unit than those that a model was trained with, or told from
/// another origin. Cost: as target_units().
std::optional<LabelShift> label_shift(const TargetUnits& before, const Dataset& dataset);

}  // namespace widehash
