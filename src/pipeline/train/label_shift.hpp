#pragma once

#include <widehash/train.hpp>

#include <optional>

namespace widehash {

/// Returns a value where the labels of `dataset` look as if they were in another unit, or measured from
/// another origin, than the labels that a model was trained with (`before`). Costs as much as target_units().
std::optional<LabelShift> label_shift(const TargetUnits& before, const Dataset& dataset);

}  // namespace widehash
