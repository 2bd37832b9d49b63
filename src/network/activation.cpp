#include "activation_rules.hpp"
#include "kernels.hpp"
#include "named_kind.hpp"

#include <widehash/activation.hpp>

#include <cstddef>
#include <type_traits>

namespace widehash {
namespace {

constexpr detail::KindNames<ActivationKind, 4> activation_names{{{ActivationKind::linear, "linear"},
                                                                 {ActivationKind::relu, "relu"},
                                                                 {ActivationKind::sigmoid, "sigmoid"},
                                                                 {ActivationKind::tanh, "tanh"}}};

/// Calls run with the kind as a constant, so that every loop is compiled for a single kind. Does nothing for
/// linear.
template <class Run>
void with_kind(ActivationKind kind, const Run& run) {
  using enum ActivationKind;
  switch (kind) {
    case linear:
      return;
    case relu:
      return run(std::integral_constant<ActivationKind, relu>());
    case sigmoid:
      return run(std::integral_constant<ActivationKind, sigmoid>());
    case tanh:
      return run(std::integral_constant<ActivationKind, tanh>());
  }
}

}  // namespace

const char* to_string(ActivationKind kind) noexcept { return detail::name_of(activation_names, kind); }

ActivationKind parse_activation(std::string_view name) {
  return detail::parse_kind(activation_names, "activation", name);
}

double sigmoid(double z) noexcept { return detail::sigmoid_of(z); }

template <class Real>
void apply_activation(ActivationKind kind, std::span<Real> values) noexcept {
  if constexpr (std::is_same_v<Real, float>) {
    if (kind == ActivationKind::sigmoid) return detail::sigmoid_values(values);
  }
  with_kind(kind, [&](auto known) {
    for (Real& value : values) value = detail::activated(known(), value);
  });
}

template <class Real>
void apply_activation_gradient(ActivationKind kind, std::span<const Real> values,
                               std::span<Real> deltas) noexcept {
  with_kind(kind, [&](auto known) {
    for (std::size_t i = 0; i < values.size(); ++i)
      deltas[i] = detail::through_activation(known(), values[i], deltas[i]);
  });
}

template void apply_activation<float>(ActivationKind, std::span<float>) noexcept;
template void apply_activation<double>(ActivationKind, std::span<double>) noexcept;
template void apply_activation_gradient<float>(ActivationKind, std::span<const float>,
                                               std::span<float>) noexcept;
template void apply_activation_gradient<double>(ActivationKind, std::span<const double>,
                                                std::span<double>) noexcept;

}  // namespace widehash
