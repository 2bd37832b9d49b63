#include "chunks.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/splitmix64.hpp>
#include <widehash/parameters.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Fills rows [first_row, first_row + values.size() / units) of a layer's weights.
template <class Real>
void fill_uniform(std::uint64_t seed, std::uint64_t layer, std::uint64_t first_row, std::uint32_t units,
                  double bound, std::span<Real> values) {
  const std::uint64_t layer_key = splitmix64(splitmix64(seed) + layer);
  detail::for_each_chunk(values.size() / units, 4096, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::uint64_t row_key = splitmix64(layer_key + first_row + row);
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        const double fraction = static_cast<double>(splitmix64(row_key + unit) >> 11) * 0x1p-53;
        values[row * units + unit] = static_cast<Real>(bound * (2 * fraction - 1));
      }
    }
  });
}

template <class Real, class Self>
auto list_tensors(Self& parameters) {
  std::vector<Tensor<Real>> tensors;
  tensors.reserve(2 + 2 * parameters.tail.size());
  tensors.push_back({parameters.first_weights, false});
  tensors.push_back({parameters.first_bias, true});
  for (auto& layer : parameters.tail) {
    tensors.push_back({layer.weights, false});
    tensors.push_back({layer.bias, true});
  }
  return tensors;
}

}  // namespace

template <class Real>
std::vector<Tensor<Real>> Parameters<Real>::tensors() {
  return list_tensors<Real>(*this);
}

template <class Real>
std::vector<Tensor<const Real>> Parameters<Real>::tensors() const {
  return list_tensors<const Real>(*this);
}

template <class Real>
std::uint64_t Parameters<Real>::num_values() const {
  std::uint64_t count = 0;
  for (const auto& tensor : tensors()) count += tensor.values.size();
  return count;
}

template <class Real>
Parameters<Real> make_zero_parameters(const Architecture& architecture, ColumnRange columns) {
  check_architecture(architecture);
  if (columns.begin > columns.end || columns.end > architecture.num_columns) {
    throw ConfigError(fmt::format("network: columns [{}, {}) are not within the {} of the architecture",
                                  columns.begin, columns.end, architecture.num_columns));
  }
  Parameters<Real> parameters;
  parameters.columns = columns;
  parameters.units = architecture.first_units();
  parameters.first_weights.resize(columns.size() * parameters.units);
  parameters.first_bias.resize(parameters.units);
  for (std::size_t layer = 0; layer < architecture.hidden.size(); ++layer) {
    DenseParameters<Real> dense;
    dense.inputs = architecture.hidden[layer];
    dense.outputs = architecture.units_after(layer);
    dense.weights.resize(std::size_t{dense.inputs} * dense.outputs);
    dense.bias.resize(dense.outputs);
    parameters.tail.push_back(std::move(dense));
  }
  return parameters;
}

template <class Real>
Parameters<Real> initialize(const Architecture& architecture, ColumnRange columns) {
  auto parameters = make_zero_parameters<Real>(architecture, columns);
  std::vector<Real>& output_bias =
      parameters.tail.empty() ? parameters.first_bias : parameters.tail.back().bias;
  std::ranges::transform(architecture.first_output_bias, output_bias.begin(),
                         [](double bias) { return static_cast<Real>(bias); });
  if (architecture.hidden.empty()) return parameters;

  const bool is_relu = architecture.activation == ActivationKind::relu;
  const double first_bound = std::sqrt((is_relu ? 6.0 : 3.0) / architecture.active_columns);
  fill_uniform<Real>(architecture.seed, 0, columns.begin, parameters.units, first_bound,
                     parameters.first_weights);
  for (std::size_t i = 0; i < parameters.tail.size(); ++i) {
    auto& layer = parameters.tail[i];
    const double glorot = std::sqrt(6.0 / (double{1} * layer.inputs + layer.outputs));
    const bool is_output = i + 1 == parameters.tail.size();
    const double bound = is_output ? 0.1 * glorot : is_relu ? std::sqrt(6.0 / layer.inputs) : glorot;
    fill_uniform<Real>(architecture.seed, i + 1, 0, layer.outputs, bound, layer.weights);
  }
  return parameters;
}

template <class Real>
Parameters<Real> initialize(const Architecture& architecture) {
  return initialize<Real>(architecture, {0, architecture.num_columns});
}

template struct Parameters<float>;
template struct Parameters<double>;
template Parameters<float> make_zero_parameters(const Architecture&, ColumnRange);
template Parameters<double> make_zero_parameters(const Architecture&, ColumnRange);
template Parameters<float> initialize(const Architecture&, ColumnRange);
template Parameters<double> initialize(const Architecture&, ColumnRange);
template Parameters<float> initialize(const Architecture&);
template Parameters<double> initialize(const Architecture&);

}  // namespace widehash
