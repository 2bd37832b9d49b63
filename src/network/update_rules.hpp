#pragma once

/// \file
/// The update rules of optimizer.hpp, one coordinate at a time. A rule holds the settings of one step as
/// numbers of the type of the parameters. It is called with a coordinate's weight, its gradient and its
/// states, which are null if it has none. CPU and GPU use the same functions; constexpr lets nvcc compile
/// them for both.

#include <widehash/optimizer.hpp>

#include <cmath>
#include <cstdint>

namespace widehash::detail {

/// w = sign(w) max(0, |w| - threshold)
template <class Real>
constexpr Real shrink(Real w, Real threshold) noexcept {
  const Real size = std::abs(w) - threshold;
  return size > 0 ? std::copysign(size, w) : Real{0};
}

template <class Real>
struct GradientRule {
  GradientRule(const OptimizerSettings& s, bool regularise)
      : rate(static_cast<Real>(s.learning_rate)),
        l1(static_cast<Real>(regularise ? s.l1 : 0)),
        l2(static_cast<Real>(regularise ? s.l2 : 0)),
        epsilon(static_cast<Real>(s.epsilon)) {}

  /// w -= step * direction, then the proximal step of l1.
  constexpr void move(Real& w, Real step, Real direction) const noexcept {
    w -= step * direction;
    if (l1 > 0) w = shrink(w, step * l1);
  }

  Real rate, l1, l2, epsilon;
};

template <class Real>
struct Sgd : GradientRule<Real> {
  Sgd(const OptimizerSettings& s, std::uint64_t, bool regularise) : GradientRule<Real>(s, regularise) {}
  constexpr void operator()(Real& w, Real g, Real*, Real*) const noexcept {
    this->move(w, this->rate, g + this->l2 * w);
  }
};

template <class Real>
struct Adagrad : GradientRule<Real> {
  Adagrad(const OptimizerSettings& s, std::uint64_t, bool regularise) : GradientRule<Real>(s, regularise) {}
  constexpr void operator()(Real& w, Real g, Real* n, Real*) const noexcept {
    g += this->l2 * w;
    *n += g * g;
    this->move(w, this->rate / (std::sqrt(*n) + this->epsilon), g);
  }
};

template <class Real>
struct RmsProp : GradientRule<Real> {
  RmsProp(const OptimizerSettings& s, std::uint64_t, bool regularise)
      : GradientRule<Real>(s, regularise),
        rho(static_cast<Real>(s.rho)),
        share(static_cast<Real>(1 - s.rho)) {}
  constexpr void operator()(Real& w, Real g, Real* n, Real*) const noexcept {
    g += this->l2 * w;
    *n = rho * *n + share * g * g;
    this->move(w, this->rate / (std::sqrt(*n) + this->epsilon), g);
  }
  Real rho;
  /// Share of the new square, computed in double: in float, little is left of 1 - 0.99999999.
  Real share;
};

template <class Real>
struct Adam : GradientRule<Real> {
  Adam(const OptimizerSettings& s, std::uint64_t step, bool regularise)
      : GradientRule<Real>(s, regularise),
        beta1(static_cast<Real>(s.beta1)),
        beta2(static_cast<Real>(s.beta2)),
        mean_share(static_cast<Real>(1 - s.beta1)),
        square_share(static_cast<Real>(1 - s.beta2)),
        mean_correction(static_cast<Real>(1 / (1 - std::pow(s.beta1, static_cast<double>(step))))),
        square_correction(static_cast<Real>(1 / (1 - std::pow(s.beta2, static_cast<double>(step))))) {}
  constexpr void operator()(Real& w, Real g, Real* m, Real* v) const noexcept {
    g += this->l2 * w;
    *m = beta1 * *m + mean_share * g;
    *v = beta2 * *v + square_share * g * g;
    this->move(w, this->rate / (std::sqrt(*v * square_correction) + this->epsilon), *m * mean_correction);
  }
  Real beta1, beta2, mean_share, square_share, mean_correction, square_correction;
};

template <class Real>
struct Ftrl {
  Ftrl(const OptimizerSettings& s, std::uint64_t, bool regularise)
      : inverse_rate(static_cast<Real>(1 / s.learning_rate)),
        beta(static_cast<Real>(s.beta)),
        l1(static_cast<Real>(regularise ? s.l1 : 0)),
        l2(static_cast<Real>(regularise ? s.l2 : 0)) {}
  constexpr void operator()(Real& w, Real g, Real* z, Real* n) const noexcept {
    if (g == 0) return;
    const Real root = std::sqrt(*n);
    *n += g * g;
    const Real new_root = std::sqrt(*n);
    *z += g - (new_root - root) * inverse_rate * w;
    const Real excess = shrink(*z, l1);
    w = excess == 0 ? Real{0} : -excess / ((beta + new_root) * inverse_rate + l2);
  }
  /// Returns the z whose weight is w while n is 0.
  constexpr Real start(Real w) const noexcept {
    return w == 0 ? Real{0} : -(beta * inverse_rate + l2) * w - std::copysign(l1, w);
  }
  /// Returns the z whose weight is w under this n; if w is 0, the nearest such value to the given z.
  constexpr Real anchor(Real w, Real z, Real n) const noexcept {
    if (w == 0) return z < -l1 ? -l1 : z > l1 ? l1 : z;
    return -((beta + std::sqrt(n)) * inverse_rate + l2) * w - std::copysign(l1, w);
  }
  Real inverse_rate, beta, l1, l2;
};

/// Calls run(rule) with the rule for the settings.
template <class Real, class Run>
void with_rule(OptimizerSettings settings, std::uint64_t step, bool regularise, const Run& run) {
  settings.learning_rate = learning_rate_at(settings, step);
  switch (settings.kind) {
    case OptimizerKind::ftrl:
      return run(Ftrl<Real>(settings, step, regularise));
    case OptimizerKind::adagrad:
      return run(Adagrad<Real>(settings, step, regularise));
    case OptimizerKind::adam:
      return run(Adam<Real>(settings, step, regularise));
    case OptimizerKind::rmsprop:
      return run(RmsProp<Real>(settings, step, regularise));
    case OptimizerKind::sgd:
      return run(Sgd<Real>(settings, step, regularise));
  }
}

}  // namespace widehash::detail
