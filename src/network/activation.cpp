#include "kernels.hpp"
#include "named_kind.hpp"

#include <widehash/activation.hpp>

#include <cmath>
#include <cstddef>
#include <type_traits>

namespace widehash {
namespace {

constexpr detail::KindNames<ActivationKind, 4> activation_names{{{ActivationKind::linear, "linear"},
                                                                 {ActivationKind::relu, "relu"},
                                                                 {ActivationKind::sigmoid, "sigmoid"},
                                                                 {ActivationKind::tanh, "tanh"}}};

}  // namespace

const char* to_string(ActivationKind kind) noexcept { return detail::name_of(activation_names, kind); }

ActivationKind parse_activation(std::string_view name) {
  return detail::parse_kind(activation_names, "activation", name);
}

double sigmoid(double z) noexcept {
  if (z >= 0) return 1 / (1 + std::exp(-z));
  const double e = std::exp(z);
  return e / (1 + e);
}

template <class Real>
void apply_activation(ActivationKind kind, std::span<Real> values) noexcept {
  switch (kind) {
    case ActivationKind::linear:
      break;
    case ActivationKind::relu:
      // Written so that a NaN fails the comparison and stays.
      for (Real& value : values) value = value < 0 ? Real{0} : value;
      break;
    case ActivationKind::sigmoid:
      if constexpr (std::is_same_v<Real, float>) return detail::sigmoid_values(values);
      for (Real& value : values) value = static_cast<Real>(sigmoid(value));
      break;
    case ActivationKind::tanh:
      for (Real& value : values) value = std::tanh(value);
      break;
  }
}

template <class Real>
void apply_activation_gradient(ActivationKind kind, std::span<const Real> values,
                               std::span<Real> deltas) noexcept {
  const std::size_t count = values.size();
  switch (kind) {
    case ActivationKind::linear:
      break;
    case ActivationKind::relu:
      for (std::size_t i = 0; i < count; ++i) deltas[i] = values[i] > 0 ? deltas[i] : Real{0};
      break;
    case ActivationKind::sigmoid:
      for (std::size_t i = 0; i < count; ++i) deltas[i] *= values[i] * (1 - values[i]);
      break;
    case ActivationKind::tanh:
      for (std::size_t i = 0; i < count; ++i) deltas[i] *= 1 - values[i] * values[i];
      break;
  }
}

template void apply_activation<float>(ActivationKind, std::span<float>) noexcept;
template void apply_activation<double>(ActivationKind, std::span<double>) noexcept;
template void apply_activation_gradient<float>(ActivationKind, std::span<const float>,
                                               std::span<float>) noexcept;
template void apply_activation_gradient<double>(ActivationKind, std::span<const double>,
                                                std::span<double>) noexcept;

}  // namespace widehash
