#pragma once

/// \file
/// Networks that the tests of the network and the train step run through, and the gradient of a batch
/// computed by the pieces of a step.

#include "network/batches.hpp"

#include <widehash/network.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace widehash::test {

struct Case {
  LossKind loss = LossKind::logistic;
  std::uint32_t outputs = 1;
  ActivationKind activation = ActivationKind::relu;
  std::vector<std::uint32_t> hidden;
};

inline std::string name_of(const Case& c) {
  return std::string(to_string(c.loss)) + std::to_string(c.outputs) + " " + to_string(c.activation) +
         " hidden layers " + std::to_string(c.hidden.size());
}

inline Architecture architecture_of(const CodeLayout& layout, const Case& c) {
  Architecture architecture;
  architecture.num_columns = layout.num_columns;
  architecture.hidden = c.hidden;
  architecture.outputs = c.outputs;
  architecture.activation = c.activation;
  architecture.loss = c.loss;
  architecture.seed = 11;
  architecture.active_columns = active_columns(layout);
  return architecture;
}

inline std::uint32_t classes_of(const Case& c) { return std::max(c.outputs, 2u); }

/// Moves every parameter away from 0, including the biases.
template <class Real>
void shake(Parameters<Real>& parameters) {
  std::mt19937_64 random(21);
  for (auto& tensor : parameters.tensors()) {
    for (Real& value : tensor.values)
      value += static_cast<Real>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  }
}

/// The gradient of the mean loss, computed by the pieces of a step.
template <class Real>
Parameters<Real> gradient_of(const Network<Real>& network, const CodeBatchView& batch, double normaliser,
                             double* loss = nullptr) {
  Workspace<Real> work;
  auto gradient = network.make_gradient();
  network.first_forward(batch, work);
  network.tail_forward(work);
  const double sum = network.loss_and_output_gradient(batch, normaliser, work, "test");
  if (loss != nullptr) *loss = sum;
  network.tail_backward(work, gradient);
  network.first_backward(batch, work, gradient, nullptr);
  return gradient;
}

}  // namespace widehash::test
