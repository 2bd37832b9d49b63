#include "label_shift.hpp"

#include <algorithm>
#include <cmath>

namespace widehash {
namespace {

// Days and customers differ, by less than that.
constexpr double far_in_deviations = 5;
constexpr double far_in_scale = 5;

}  // namespace

std::optional<LabelShift> label_shift(const TargetUnits& before, const Dataset& dataset) {
  const TargetUnits now = target_units(dataset);
  const double distance = std::abs(now.shift - before.shift);
  const auto [smaller, larger] = std::minmax(before.scale, now.scale);
  if (distance <= far_in_deviations * larger && larger <= far_in_scale * smaller) return std::nullopt;
  return LabelShift{before, now};
}

}  // namespace widehash
