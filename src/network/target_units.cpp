#include <widehash/target_units.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace widehash {

template <class Real>
void to_outputs(const TargetUnits& units, std::span<const float> targets, std::span<Real> outputs) noexcept {
  if (units.are_plain()) {
    std::copy(targets.begin(), targets.end(), outputs.begin());
    return;
  }
  std::transform(targets.begin(), targets.end(), outputs.begin(), [&](float target) {
    return static_cast<Real>((double{target} - units.shift) / units.scale);
  });
}

template <class Real>
void to_predictions(const TargetUnits& units, std::span<Real> values) noexcept {
  if (units.are_plain()) return;
  constexpr double largest = std::numeric_limits<Real>::max();
  for (Real& value : values) {
    const double prediction = units.shift + units.scale * double{value};
    // Clamps only what the units make too large. An output that is not finite stays so.
    value = static_cast<Real>(std::isfinite(value) ? std::clamp(prediction, -largest, largest) : prediction);
  }
}

template void to_outputs<float>(const TargetUnits&, std::span<const float>, std::span<float>) noexcept;
template void to_outputs<double>(const TargetUnits&, std::span<const float>, std::span<double>) noexcept;
template void to_predictions<float>(const TargetUnits&, std::span<float>) noexcept;
template void to_predictions<double>(const TargetUnits&, std::span<double>) noexcept;

}  // namespace widehash
