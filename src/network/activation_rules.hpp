#pragma once

/// \file
/// The functions of activation.hpp, one value at a time, for CPU and GPU.

#include <widehash/activation.hpp>

#include <cmath>

namespace widehash::detail {

/// 1 / (1 + exp(-z)) without overflow for any finite z.
template <class Real>
constexpr Real sigmoid_of(Real z) noexcept {
  if (z >= 0) return 1 / (1 + std::exp(-z));
  const Real e = std::exp(z);
  return e / (1 + e);
}

template <class Real>
constexpr Real activated(ActivationKind kind, Real z) noexcept {
  switch (kind) {
    case ActivationKind::linear:
      return z;
    case ActivationKind::relu:
      // Written so that a NaN fails the comparison and is kept.
      return z < 0 ? Real{0} : z;
    case ActivationKind::sigmoid:
      return static_cast<Real>(sigmoid_of<double>(z));
    case ActivationKind::tanh:
      break;
  }
  return std::tanh(z);
}

/// Returns delta times f'(z), given `a` = f(z). relu passes `delta` on or stops it, so that a delta that is
/// not finite does not become a NaN.
template <class Real>
constexpr Real through_activation(ActivationKind kind, Real a, Real delta) noexcept {
  switch (kind) {
    case ActivationKind::linear:
      return delta;
    case ActivationKind::relu:
      return a > 0 ? delta : Real{0};
    case ActivationKind::sigmoid:
      return delta * (a * (1 - a));
    case ActivationKind::tanh:
      break;
  }
  return delta * (1 - a * a);
}

}  // namespace widehash::detail
