#include "chunks.hpp"
#include "kernels.hpp"

#include <widehash/error.hpp>
#include <widehash/optimizer.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::size_t values_per_chunk = std::size_t{1} << 14;
/// Units of a touched column from which on vectors beat the plain rule.
constexpr std::uint32_t fewest_vector_units = 4;

// A rule is the settings of one step as numbers of the parameters' type, and one coordinate's update with
// them. `first` and `second` are the coordinate's states, or null where the rule has none.

/// w = sign(w) max(0, |w| - threshold)
template <class Real>
Real shrink(Real w, Real threshold) noexcept {
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
  void move(Real& w, Real step, Real direction) const noexcept {
    w -= step * direction;
    if (l1 > 0) w = shrink(w, step * l1);
  }

  Real rate, l1, l2, epsilon;
};

template <class Real>
struct Sgd : GradientRule<Real> {
  Sgd(const OptimizerSettings& s, std::uint64_t, bool regularise) : GradientRule<Real>(s, regularise) {}
  void operator()(Real& w, Real g, Real*, Real*) const noexcept {
    this->move(w, this->rate, g + this->l2 * w);
  }
};

template <class Real>
struct Adagrad : GradientRule<Real> {
  Adagrad(const OptimizerSettings& s, std::uint64_t, bool regularise) : GradientRule<Real>(s, regularise) {}
  void operator()(Real& w, Real g, Real* n, Real*) const noexcept {
    g += this->l2 * w;
    *n += g * g;
    this->move(w, this->rate / (std::sqrt(*n) + this->epsilon), g);
  }
};

template <class Real>
struct RmsProp : GradientRule<Real> {
  RmsProp(const OptimizerSettings& s, std::uint64_t, bool regularise)
      : GradientRule<Real>(s, regularise), rho(static_cast<Real>(s.rho)) {}
  void operator()(Real& w, Real g, Real* n, Real*) const noexcept {
    g += this->l2 * w;
    *n = rho * *n + (1 - rho) * g * g;
    this->move(w, this->rate / (std::sqrt(*n) + this->epsilon), g);
  }
  Real rho;
};

template <class Real>
struct Adam : GradientRule<Real> {
  Adam(const OptimizerSettings& s, std::uint64_t step, bool regularise)
      : GradientRule<Real>(s, regularise),
        beta1(static_cast<Real>(s.beta1)),
        beta2(static_cast<Real>(s.beta2)),
        mean_correction(static_cast<Real>(1 / (1 - std::pow(s.beta1, static_cast<double>(step))))),
        square_correction(static_cast<Real>(1 / (1 - std::pow(s.beta2, static_cast<double>(step))))) {}
  void operator()(Real& w, Real g, Real* m, Real* v) const noexcept {
    g += this->l2 * w;
    *m = beta1 * *m + (1 - beta1) * g;
    *v = beta2 * *v + (1 - beta2) * g * g;
    this->move(w, this->rate / (std::sqrt(*v * square_correction) + this->epsilon), *m * mean_correction);
  }
  Real beta1, beta2, mean_correction, square_correction;
};

template <class Real>
struct Ftrl {
  Ftrl(const OptimizerSettings& s, std::uint64_t, bool regularise)
      : inverse_rate(static_cast<Real>(1 / s.learning_rate)),
        beta(static_cast<Real>(s.beta)),
        l1(static_cast<Real>(regularise ? s.l1 : 0)),
        l2(static_cast<Real>(regularise ? s.l2 : 0)) {}
  void operator()(Real& w, Real g, Real* z, Real* n) const noexcept {
    if (g == 0) return;
    const Real root = std::sqrt(*n);
    *n += g * g;
    const Real new_root = std::sqrt(*n);
    *z += g - (new_root - root) * inverse_rate * w;
    const Real excess = shrink(*z, l1);
    w = excess == 0 ? Real{0} : -excess / ((beta + new_root) * inverse_rate + l2);
  }
  /// The z whose weight is w while n is 0.
  Real start(Real w) const noexcept {
    return w == 0 ? Real{0} : -(beta * inverse_rate + l2) * w - std::copysign(l1, w);
  }
  Real inverse_rate, beta, l1, l2;
};

template <template <class> class Rule, class Real>
void run_dense(const Rule<Real>& rule, std::span<Real> weights, std::span<const Real> gradient,
               StateSpans<Real> states) noexcept {
  Real* first = states.first.data();
  Real* second = states.second.data();
  const bool has_first = !states.first.empty();
  const bool has_second = !states.second.empty();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    rule(weights[i], gradient[i], has_first ? first + i : nullptr, has_second ? second + i : nullptr);
  }
}

/// Calls run(rule) with the rule of the settings.
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

template <class Real>
std::span<Real> part(std::span<Real> values, std::size_t begin, std::size_t count) noexcept {
  return values.empty() ? values : values.subspan(begin, count);
}

/// The states of tensor `index`.
template <class Real>
StateSpans<Real> states_of(std::vector<Parameters<Real>>& states, std::size_t index) {
  StateSpans<Real> spans;
  if (!states.empty()) spans.first = states[0].tensors()[index].values;
  if (states.size() > 1) spans.second = states[1].tensors()[index].values;
  return spans;
}

template <class Real>
bool same_shape(const Parameters<Real>& a, const Parameters<Real>& b) {
  const auto ours = a.tensors();
  const auto theirs = b.tensors();
  bool same = a.columns == b.columns && a.units == b.units && ours.size() == theirs.size();
  for (std::size_t i = 0; same && i < ours.size(); ++i)
    same = ours[i].values.size() == theirs[i].values.size();
  return same;
}

}  // namespace

template <class Real>
void update_dense(const OptimizerSettings& settings, std::uint64_t step, bool regularise,
                  std::span<Real> weights, std::span<const Real> gradient, StateSpans<Real> states) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    OptimizerSettings now = settings;
    now.learning_rate = learning_rate_at(settings, step);
    return detail::update_values(now, step, regularise, weights, gradient, states);
  }
  with_rule<Real>(settings, step, regularise,
                  [&](const auto& rule) { run_dense(rule, weights, gradient, states); });
}

template <class Real>
void update_rows(const OptimizerSettings& settings, std::uint64_t step, bool regularise, std::uint32_t units,
                 std::span<const std::uint32_t> positions, std::span<Real> weights,
                 std::span<const Real> gradient, StateSpans<Real> states) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    if (units >= fewest_vector_units) {
      OptimizerSettings now = settings;
      now.learning_rate = learning_rate_at(settings, step);
      return detail::update_value_rows(now, step, regularise, units, positions, weights, gradient, states);
    }
  }
  with_rule<Real>(settings, step, regularise, [&](const auto& rule) {
    for (const std::uint32_t position : positions) {
      const std::size_t at = std::size_t{position} * units;
      run_dense(rule, weights.subspan(at, units), gradient.subspan(at, units),
                StateSpans<Real>{part(states.first, at, units), part(states.second, at, units)});
    }
  });
}

template <class Real>
Optimizer<Real>::Optimizer(const OptimizerSettings& settings, const Parameters<Real>& parameters)
    : settings_(settings) {
  check_settings(settings_);
  Parameters<Real> zeros = parameters;
  for (auto& tensor : zeros.tensors()) std::fill(tensor.values.begin(), tensor.values.end(), Real{0});
  states_.assign(static_cast<std::size_t>(num_states(settings_.kind)), zeros);
  if (settings_.kind != OptimizerKind::ftrl) return;
  const auto weights = parameters.tensors();
  const auto z = states_[0].tensors();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Ftrl<Real> rule(settings_, 0, !weights[i].is_bias);
    for (std::size_t j = 0; j < weights[i].values.size(); ++j)
      z[i].values[j] = rule.start(weights[i].values[j]);
  }
}

template <class Real>
Optimizer<Real>::Optimizer(const OptimizerSettings& settings, std::vector<Parameters<Real>> states,
                           std::uint64_t step)
    : settings_(settings), states_(std::move(states)), step_(step) {
  check_settings(settings_);
  if (states_.size() != static_cast<std::size_t>(num_states(settings_.kind))) {
    throw ShapeError(fmt::format("optimizer: {} has {} states per parameter, {} are given",
                                 to_string(settings_.kind), num_states(settings_.kind), states_.size()));
  }
}

template <class Real>
void Optimizer<Real>::update(Parameters<Real>& parameters, const Parameters<Real>& gradient,
                             const TouchedColumns* touched) {
  bool fits = same_shape(parameters, gradient);
  for (const auto& state : states_) fits = fits && same_shape(parameters, state);
  if (!fits || (touched != nullptr && touched->range_size() != parameters.columns.size())) {
    throw ShapeError("optimizer: parameters, gradient, states and touched columns are of different shapes");
  }
  ++step_;
  const auto weights = parameters.tensors();
  const auto gradients = gradient.tensors();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto states = states_of(states_, i);
    const bool regularise = !weights[i].is_bias;
    const auto values = weights[i].values;
    if (i == 0 && touched != nullptr && !needs_dense_update(settings_)) {
      const auto positions = touched->positions();
      const std::size_t rows = std::max<std::size_t>(values_per_chunk / parameters.units, 1);
      detail::for_each_chunk(positions.size(), rows, [&](std::size_t, std::size_t begin, std::size_t end) {
        update_rows<Real>(settings_, step_, regularise, parameters.units,
                          positions.subspan(begin, end - begin), values, gradients[i].values, states);
      });
      continue;
    }
    detail::for_each_chunk(
        values.size(), values_per_chunk, [&](std::size_t, std::size_t begin, std::size_t end) {
          const std::size_t count = end - begin;
          update_dense<Real>(settings_, step_, regularise, values.subspan(begin, count),
                             gradients[i].values.subspan(begin, count),
                             {part(states.first, begin, count), part(states.second, begin, count)});
        });
  }
}

template void update_dense<float>(const OptimizerSettings&, std::uint64_t, bool, std::span<float>,
                                  std::span<const float>, StateSpans<float>) noexcept;
template void update_dense<double>(const OptimizerSettings&, std::uint64_t, bool, std::span<double>,
                                   std::span<const double>, StateSpans<double>) noexcept;
template void update_rows<float>(const OptimizerSettings&, std::uint64_t, bool, std::uint32_t,
                                 std::span<const std::uint32_t>, std::span<float>, std::span<const float>,
                                 StateSpans<float>) noexcept;
template void update_rows<double>(const OptimizerSettings&, std::uint64_t, bool, std::uint32_t,
                                  std::span<const std::uint32_t>, std::span<double>, std::span<const double>,
                                  StateSpans<double>) noexcept;
template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace widehash
