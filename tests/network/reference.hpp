#pragma once

/// \file
/// The network in plain dense maths, in double precision on one thread: the oracle of the fast pieces.

#include <widehash/architecture.hpp>
#include <widehash/parameters.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace widehash::test {

/// Row-major matrix.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

inline Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix y{a.rows, b.columns, std::vector<double>(a.rows * b.columns)};
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < b.columns; ++c)
      for (std::size_t k = 0; k < a.columns; ++k) y.at(r, c) += a.at(r, k) * b.at(k, c);
  return y;
}

inline double activate(ActivationKind kind, double z) {
  switch (kind) {
    case ActivationKind::linear:
      return z;
    case ActivationKind::relu:
      return z > 0 ? z : 0;
    case ActivationKind::sigmoid:
      return 1 / (1 + std::exp(-z));
    case ActivationKind::tanh:
      return std::tanh(z);
  }
  return z;
}

/// Raw outputs [rows x outputs] of dense inputs x [rows x num_columns].
inline Matrix reference_outputs(const Architecture& architecture, const Parameters<double>& parameters,
                                Matrix x) {
  std::size_t inputs = architecture.num_columns;
  const auto tensors = parameters.tensors();
  for (std::size_t i = 0; i < tensors.size(); i += 2) {
    const auto weights = tensors[i].values;
    const auto bias = tensors[i + 1].values;
    x = multiply(x, {inputs, bias.size(), std::vector<double>(weights.begin(), weights.end())});
    const bool is_last = i + 2 == tensors.size();
    for (std::size_t r = 0; r < x.rows; ++r)
      for (std::size_t c = 0; c < x.columns; ++c) {
        const double z = x.at(r, c) + bias[c];
        x.at(r, c) = is_last ? z : activate(architecture.activation, z);
      }
    inputs = bias.size();
  }
  return x;
}

/// The loss of a row by the textbook formula, suitable for moderate z only. `target` is a number (one output)
/// or a class.
inline double reference_loss(LossKind kind, const std::vector<double>& z, double target) {
  const std::size_t outputs = z.size();
  std::vector<double> t(outputs, target);
  if (outputs > 1)
    for (std::size_t k = 0; k < outputs; ++k) t[k] = static_cast<double>(k) == target ? 1 : 0;
  double loss = 0;
  double sum = 0;
  for (const double value : z) sum += std::exp(value);
  for (std::size_t k = 0; k < outputs; ++k) {
    const double p = 1 / (1 + std::exp(-z[k]));
    if (kind == LossKind::logistic) loss -= t[k] * std::log(p) + (1 - t[k]) * std::log(1 - p);
    if (kind == LossKind::mse) loss += (z[k] - t[k]) * (z[k] - t[k]) / static_cast<double>(outputs);
    if (kind == LossKind::poisson) {
      loss += 2 * (std::exp(z[k]) - t[k]);
      if (t[k] > 0) loss += 2 * t[k] * std::log(t[k] / std::exp(z[k]));
    }
    if (kind == LossKind::softmax) loss -= t[k] * std::log(std::exp(z[k]) / sum);
  }
  return loss;
}

}  // namespace widehash::test
