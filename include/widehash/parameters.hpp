#pragma once

/// \file
/// The numbers of a network and their initial values. Gradients and optimizer states have the same shape and
/// the same type.
///
/// Initial values: biases are 0, except those of the outputs, which are Architecture::first_output_bias. The
/// weights of a linear model are 0 (its loss is convex, so zero is the natural start). With hidden layers,
/// every weight is uniform in [-bound, bound):
///
///     first layer      sqrt(3 g / active columns), so that a row's sum has variance g; g = 2 for relu, else 1
///     hidden layers    relu: sqrt(6 / inputs) (He et al. 2015)
///                      else: sqrt(6 / (inputs + outputs)) (Glorot and Bengio 2010)
///     output layer     0.1 sqrt(6 / (inputs + outputs)): the first predictions lie near the link of the bias
///
/// Weight (layer, row, unit) is bound * (2 u - 1), where u is splitmix64 chained over (seed, layer, row,
/// unit), with its upper 53 bits taken as a fraction. It depends on nothing else: neither on the platform nor
/// on which rank owns which columns.

#include <widehash/architecture.hpp>
#include <widehash/internal/aligned_vector.hpp>
#include <widehash/internal/column_range.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

/// A dense layer, y = x W + b. W is [inputs x outputs] row-major.
template <class Real>
struct DenseParameters {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
  std::vector<Real> weights;
  std::vector<Real> bias;
};

/// A tensor of the parameters, seen flat: what is all-reduced, saved and updated as one.
template <class Real>
struct Tensor {
  std::span<Real> values;
  bool is_bias = false;
};

template <class Real>
struct Parameters {
  ColumnRange columns;                // columns of the first layer that are held here
  std::uint32_t units = 0;            // units of the first layer
  AlignedVector<Real> first_weights;  // [columns.size() x units] row-major
  std::vector<Real> first_bias;       // [units]
  std::vector<DenseParameters<Real>> tail;

  /// Returns all tensors in a fixed order: first weights, first bias, then weights and bias of each tail
  /// layer.
  std::vector<Tensor<Real>> tensors();
  std::vector<Tensor<const Real>> tensors() const;
  std::uint64_t num_values() const;
};

/// All zeros, in the shape of `architecture` with the first layer cut to `columns`. Throws ConfigError.
template <class Real>
Parameters<Real> make_zero_parameters(const Architecture& architecture, ColumnRange columns);

/// The initial values above. Cost: O(values).
template <class Real>
Parameters<Real> initialize(const Architecture& architecture, ColumnRange columns);
template <class Real>
Parameters<Real> initialize(const Architecture& architecture);

}  // namespace widehash
