#pragma once

/// \file
/// Activation functions a = f(z) between layers. Their derivatives are expressed in terms of a alone, so that
/// only a has to be kept:
///
///     linear    a = z                     f' = 1
///     relu      a = max(0, z)             f' = 1 where a > 0, else 0 (0 at the kink)
///     sigmoid   a = 1 / (1 + exp(-z))     f' = a (1 - a)
///     tanh      a = tanh(z)               f' = 1 - a^2

#include <span>
#include <string_view>

namespace widehash {

enum class ActivationKind { linear, relu, sigmoid, tanh };

const char* to_string(ActivationKind kind) noexcept;
/// Throws ConfigError, listing the known names, if `name` is none of them.
ActivationKind parse_activation(std::string_view name);

/// 1 / (1 + exp(-z)) without overflow for any finite z.
double sigmoid(double z) noexcept;

/// values = f(values), elementwise and in place. NaN stays NaN.
template <class Real>
void apply_activation(ActivationKind kind, std::span<Real> values) noexcept;

/// deltas = deltas * f'(values), elementwise, where `values` are the outputs a of the activation. Requires
/// spans of equal size.
template <class Real>
void apply_activation_gradient(ActivationKind kind, std::span<const Real> values,
                               std::span<Real> deltas) noexcept;

}  // namespace widehash
