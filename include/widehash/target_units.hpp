#pragma once

/// \file
/// The units that a network's one output is in: optimizers move weights by about their learning rate,
/// whatever the targets, so that a network is trained on targets of about mean 0 and deviation 1,
///
///     z is trained on (t - shift) / scale        prediction = shift + scale z
///
/// A squared error in these units is one of targets divided by scale^2. Numbers are made in double and
/// rounded once.

#include <span>

namespace widehash {

struct TargetUnits {
  double shift = 0;
  double scale = 1;

  /// Whether targets are trained on as they are.
  bool are_plain() const noexcept { return shift == 0 && scale == 1; }
  bool operator==(const TargetUnits&) const = default;

  /// The squared error of targets for that of outputs.
  double squared(double of_outputs) const noexcept { return of_outputs * scale * scale; }
};

/// outputs[i] = (targets[i] - shift) / scale. The spans have one size; plain units copy the bits.
template <class Real>
void to_outputs(const TargetUnits& units, std::span<const float> targets, std::span<Real> outputs) noexcept;

/// values[i] = shift + scale * values[i], the largest finite number where that is beyond it. Plain units
/// touch nothing.
template <class Real>
void to_predictions(const TargetUnits& units, std::span<Real> values) noexcept;

}  // namespace widehash
