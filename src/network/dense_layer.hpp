#pragma once

/// \file
/// The dense layers of the tail. Plain loops in a fixed order: every output of a row is a sum over inputs in
/// order, so it depends neither on the rows beside it, nor on the vector width of the machine, nor on the
/// number of threads.

#include <widehash/parameters.hpp>

#include <cstddef>
#include <span>

namespace widehash::detail {

/// Y = X W + b.  Shapes: x [rows x inputs], y [rows x outputs].
template <class Real>
void dense_forward(const DenseParameters<Real>& layer, std::span<const Real> x, std::span<Real> y);

/// dX = dY W^T, overwritten.  Shapes: dy [rows x outputs], dx [rows x inputs].
template <class Real>
void dense_backward_input(const DenseParameters<Real>& layer, std::span<const Real> dy, std::span<Real> dx);

/// gradient.weights += X^T dY, gradient.bias += sum of the rows of dY. Rows are summed in chunks of fixed
/// size, and the chunks in order.
template <class Real>
void dense_backward_parameters(std::span<const Real> x, std::span<const Real> dy,
                               DenseParameters<Real>& gradient);

/// y[row, :] += bias for each row.
template <class Real>
void add_bias(std::span<const Real> bias, std::span<Real> y) noexcept;

/// sums[u] += sum over rows of dy[row, u], in row order.
template <class Real>
void sum_rows(std::span<const Real> dy, std::span<Real> sums) noexcept;

}  // namespace widehash::detail
