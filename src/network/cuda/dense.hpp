#pragma once

/// \file
/// The products of the dense layers, through cuBLAS, in float32 on row-major matrices. cuBLAS expects
/// column-major matrices, so it is asked for the transposed product. Every run gives the same bits: there is
/// one handle and one stream.

#include "cuda/device_context.hpp"

#include <cstdint>

namespace widehash::cuda {

struct DenseShape {
  std::uint64_t num_rows = 0;
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
};

/// Y = X W.  x [rows x inputs], w [inputs x outputs], y [rows x outputs]
void dense_forward(const DeviceContext& context, const DenseShape& shape, const float* x, const float* w,
                   float* y);
/// dX = dY W^T
void dense_backward_input(const DeviceContext& context, const DenseShape& shape, const float* dy,
                          const float* w, float* dx);
/// dW = X^T dY
void dense_backward_weights(const DeviceContext& context, const DenseShape& shape, const float* x,
                            const float* dy, float* dw);

}  // namespace widehash::cuda
