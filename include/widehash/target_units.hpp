#pragma once

/// \file
/// The units of a network's single output. Optimizers move weights by about their learning rate whatever the
/// targets are, so a network is trained on targets with a mean of about 0 and a deviation of about 1:
///
///     z is trained on (t - shift) / scale        prediction = shift + scale z
///
/// A squared error in these units is the squared error of the targets divided by scale^2. Numbers are
/// computed in double and rounded once.

#include <span>

namespace widehash {

struct TargetUnits {
  double shift = 0;
  double scale = 1;

  /// Whether the network is trained on the targets as they are.
  bool are_plain() const noexcept { return shift == 0 && scale == 1; }
  bool operator==(const TargetUnits&) const = default;

  /// Converts a squared error of outputs to one of targets.
  double squared(double of_outputs) const noexcept { return of_outputs * scale * scale; }
};

/// outputs[i] = (targets[i] - shift) / scale. Both spans must have the same size. Plain units copy the bits.
template <class Real>
void to_outputs(const TargetUnits& units, std::span<const float> targets, std::span<Real> outputs) noexcept;

/// values[i] = shift + scale * values[i], limited to the largest finite number in magnitude. Plain units
/// change nothing.
template <class Real>
void to_predictions(const TargetUnits& units, std::span<Real> values) noexcept;

}  // namespace widehash
