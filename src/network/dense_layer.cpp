#include "dense_layer.hpp"

#include "chunks.hpp"

#include <algorithm>
#include <vector>

namespace widehash::detail {
namespace {

// Weight gradients need a partial sum per chunk, so their chunks are larger.
constexpr std::size_t rows_per_gradient_chunk = 2048;

/// to += factor * from
template <class Real>
void add_scaled(Real factor, const Real* from, std::size_t count, Real* to) noexcept {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// weights += X^T dY over rows [begin, end)
template <class Real>
void add_outer_products(const Real* x, const Real* dy, std::size_t begin, std::size_t end, std::size_t inputs,
                        std::size_t outputs, Real* weights) noexcept {
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t i = 0; i < inputs; ++i) {
      add_scaled(x[row * inputs + i], dy + row * outputs, outputs, weights + i * outputs);
    }
  }
}

}  // namespace

template <class Real>
void dense_forward(const DenseParameters<Real>& layer, std::span<const Real> x, std::span<Real> y) {
  const std::size_t inputs = layer.inputs;
  const std::size_t outputs = layer.outputs;
  for_each_chunk(y.size() / outputs, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      Real* out = y.data() + row * outputs;
      std::copy(layer.bias.begin(), layer.bias.end(), out);
      for (std::size_t i = 0; i < inputs; ++i) {
        add_scaled(x[row * inputs + i], layer.weights.data() + i * outputs, outputs, out);
      }
    }
  });
}

template <class Real>
void dense_backward_input(const DenseParameters<Real>& layer, std::span<const Real> dy, std::span<Real> dx) {
  const std::size_t inputs = layer.inputs;
  const std::size_t outputs = layer.outputs;
  // Transposing W first lets the inner loop run over neighbouring inputs.
  std::vector<Real> transposed(layer.weights.size());
  for (std::size_t i = 0; i < inputs; ++i) {
    for (std::size_t o = 0; o < outputs; ++o) transposed[o * inputs + i] = layer.weights[i * outputs + o];
  }
  for_each_chunk(dy.size() / outputs, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      Real* in = dx.data() + row * inputs;
      std::fill(in, in + inputs, Real{0});
      for (std::size_t o = 0; o < outputs; ++o) {
        add_scaled(dy[row * outputs + o], transposed.data() + o * inputs, inputs, in);
      }
    }
  });
}

template <class Real>
void dense_backward_parameters(std::span<const Real> x, std::span<const Real> dy,
                               DenseParameters<Real>& gradient) {
  const std::size_t inputs = gradient.inputs;
  const std::size_t outputs = gradient.outputs;
  const std::size_t rows = dy.size() / outputs;
  sum_rows<Real>(dy, gradient.bias);

  const std::size_t size = gradient.weights.size();
  std::vector<Real> partial(num_chunks(rows, rows_per_gradient_chunk) * size);
  for_each_chunk(rows, rows_per_gradient_chunk, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    add_outer_products(x.data(), dy.data(), begin, end, inputs, outputs, partial.data() + chunk * size);
  });
  for (std::size_t at = 0; at < partial.size(); at += size) {
    add_scaled(Real{1}, partial.data() + at, size, gradient.weights.data());
  }
}

template <class Real>
void add_bias(std::span<const Real> bias, std::span<Real> y) noexcept {
  for (std::size_t at = 0; at < y.size(); at += bias.size())
    add_scaled(Real{1}, bias.data(), bias.size(), &y[at]);
}

template <class Real>
void sum_rows(std::span<const Real> dy, std::span<Real> sums) noexcept {
  for (std::size_t at = 0; at < dy.size(); at += sums.size())
    add_scaled(Real{1}, &dy[at], sums.size(), sums.data());
}

template void dense_forward<float>(const DenseParameters<float>&, std::span<const float>, std::span<float>);
template void dense_forward<double>(const DenseParameters<double>&, std::span<const double>,
                                    std::span<double>);
template void dense_backward_input<float>(const DenseParameters<float>&, std::span<const float>,
                                          std::span<float>);
template void dense_backward_input<double>(const DenseParameters<double>&, std::span<const double>,
                                           std::span<double>);
template void dense_backward_parameters<float>(std::span<const float>, std::span<const float>,
                                               DenseParameters<float>&);
template void dense_backward_parameters<double>(std::span<const double>, std::span<const double>,
                                                DenseParameters<double>&);
template void add_bias<float>(std::span<const float>, std::span<float>) noexcept;
template void add_bias<double>(std::span<const double>, std::span<double>) noexcept;
template void sum_rows<float>(std::span<const float>, std::span<float>) noexcept;
template void sum_rows<double>(std::span<const double>, std::span<double>) noexcept;

}  // namespace widehash::detail
