#pragma once

/// \file
/// The losses of loss.hpp, one row at a time, and the links. They compute in double: a row costs only a few
/// exponentials, and a float softplus loses the small losses of a good model. CPU and GPU use the same
/// functions; constexpr lets nvcc compile them for both.

#include <cmath>
#include <cstddef>
#include <limits>

namespace widehash::detail {

// Each rule returns the loss of one row and, unless `deltas` is null, sets it to scale * dL/dz.
// `target_of(k)` is the target of output k.

struct LogisticLoss {
  template <class Real, class Target>
  static constexpr double row(const Real* z, const Target& target_of, std::size_t count, double scale,
                              Real* deltas) noexcept {
    double loss = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double raw = z[k];
      const double target = target_of(k);
      const double e = std::exp(-std::abs(raw));
      // max(raw, 0) - target raw, in a form without cancellation for an output that is confident and right.
      loss += std::log1p(e) + (raw >= 0 ? (1 - target) * raw : -target * raw);
      const double probability = (raw >= 0 ? 1.0 : e) / (1 + e);
      if (deltas != nullptr) deltas[k] = static_cast<Real>(scale * (probability - target));
    }
    return loss;
  }
};

struct MeanSquareLoss {
  template <class Real, class Target>
  static constexpr double row(const Real* z, const Target& target_of, std::size_t count, double scale,
                              Real* deltas) noexcept {
    double loss = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double error = double{z[k]} - double{target_of(k)};
      loss += error * error;
      if (deltas != nullptr) deltas[k] = static_cast<Real>(scale * 2 * error / static_cast<double>(count));
    }
    return loss / static_cast<double>(count);
  }
};

struct PoissonLoss {
  template <class Real, class Target>
  static constexpr double row(const Real* z, const Target& target_of, std::size_t count, double scale,
                              Real* deltas) noexcept {
    double loss = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double raw = z[k];
      const double target = target_of(k);
      const double error = std::exp(raw) - target;
      // raw - raw: an output of minus infinity must show in the loss, even if the target is 0.
      loss += error - (target > 0 ? target * (raw - std::log(target)) : raw - raw);
      if (deltas != nullptr) deltas[k] = static_cast<Real>(scale * 2 * error);
    }
    return 2 * loss;
  }
};

/// Turns a raw output into the count that the Poisson loss expects, within the range of float in either
/// precision.
template <class Real>
constexpr Real expected_count(Real z) noexcept {
  constexpr double largest = std::numeric_limits<float>::max();
  const double count = std::exp(double{z});
  return static_cast<Real>(count > largest ? largest : count);
}

template <class Real>
constexpr double largest_of(const Real* z, std::size_t count) noexcept {
  Real largest = z[0];
  for (std::size_t k = 1; k < count; ++k) largest = largest < z[k] ? z[k] : largest;
  return largest;
}

struct SoftmaxLoss {
  template <class Real, class Target>
  static constexpr double row(const Real* z, const Target& target_of, std::size_t count, double scale,
                              Real* deltas) noexcept {
    const double largest = largest_of(z, count);
    double sum = 0;
    double total = 0;
    double linear = 0;
    for (std::size_t k = 0; k < count; ++k) {
      sum += std::exp(z[k] - largest);
      total += target_of(k);
      linear += double{target_of(k)} * z[k];
    }
    const double log_sum = largest + std::log(sum);
    for (std::size_t k = 0; deltas != nullptr && k < count; ++k) {
      deltas[k] = static_cast<Real>(scale * (total * std::exp(z[k] - log_sum) - target_of(k)));
    }
    return total * log_sum - linear;
  }
};

/// Turns the raw outputs of a row into class probabilities.
template <class Real>
constexpr void softmax_row(Real* z, std::size_t count) noexcept {
  const double largest = largest_of(z, count);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += std::exp(z[k] - largest);
  for (std::size_t k = 0; k < count; ++k) z[k] = static_cast<Real>(std::exp(z[k] - largest) / sum);
}

}  // namespace widehash::detail
