#pragma once

#include <widehash/train.hpp>

#include <optional>

namespace widehash {

/// Where the labels of rows are far from those that a model was trained with. Cost: as target_units().
std::optional<LabelShift> label_shift(const TargetUnits& before, const Dataset& dataset);

}  // namespace widehash
