#include "label_shift.hpp"

#include <algorithm>
#include <cmath>

namespace widehash {
namespace {

// A change of unit multiplies mean and deviation by the same factor. A change of origin moves the mean far
// and the deviation little. Days with heavy tails move either by a lot, but hardly ever in step.
constexpr double fewest_times = 1.4;    // miles in place of kilometres: 1.6
constexpr double factors_agree = 1.15;  // within noise
constexpr double fewest_deviations = 3;
constexpr double like_deviations = 2.5;  // Fahrenheit in place of Celsius: 1.8

double times_apart(double a, double b) noexcept { return std::max(a / b, b / a); }

}  // namespace

std::optional<LabelShift> label_shift(const TargetUnits& before, const Dataset& dataset) {
  const TargetUnits now = target_units(dataset);
  const double scales = now.scale / before.scale;
  const double means = before.shift != 0 ? now.shift / before.shift : 0;
  const bool is_other_unit =
      means > 0 && times_apart(means, 1) > fewest_times && times_apart(means, scales) < factors_agree;
  const bool is_other_origin =
      times_apart(scales, 1) < like_deviations &&
      std::abs(now.shift - before.shift) > fewest_deviations * std::max(now.scale, before.scale);
  if (!is_other_unit && !is_other_origin) return std::nullopt;
  return LabelShift{before, now};
}

}  // namespace widehash
