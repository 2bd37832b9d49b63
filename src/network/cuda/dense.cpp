#include "dense.hpp"

#include <widehash/error.hpp>

#include <limits>

#include <fmt/format.h>

namespace widehash::cuda {
namespace {

/// A matrix as cuBLAS sees it: column-major, with `leading` numbers from one column to the next.
struct Operand {
  cublasOperation_t operation;
  const float* values;
  std::uint64_t leading;
};

int as_int(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
    throw DeviceError(
        fmt::format("{} rows at a time are more than cuBLAS can count; use smaller batches", size));
  return static_cast<int>(size);
}

/// c [m x n] = op(a) [m x k] op(b) [k x n], column-major.
void multiply(const DeviceContext& context, std::uint64_t m, std::uint64_t n, std::uint64_t k,
              const Operand& a, const Operand& b, float* c) {
  if (m == 0 || n == 0) return;
  const float one = 1;
  const float zero = 0;
  check(cublasSgemm(context.blas(), a.operation, b.operation, as_int(m), as_int(n), as_int(k), &one, a.values,
                    as_int(a.leading), b.values, as_int(b.leading), &zero, c, as_int(m)),
        "cublasSgemm");
}

}  // namespace

void dense_forward(const DeviceContext& context, const DenseShape& shape, const float* x, const float* w,
                   float* y) {
  multiply(context, shape.outputs, shape.num_rows, shape.inputs, {CUBLAS_OP_N, w, shape.outputs},
           {CUBLAS_OP_N, x, shape.inputs}, y);
}

void dense_backward_input(const DeviceContext& context, const DenseShape& shape, const float* dy,
                          const float* w, float* dx) {
  multiply(context, shape.inputs, shape.num_rows, shape.outputs, {CUBLAS_OP_T, w, shape.outputs},
           {CUBLAS_OP_N, dy, shape.outputs}, dx);
}

void dense_backward_weights(const DeviceContext& context, const DenseShape& shape, const float* x,
                            const float* dy, float* dw) {
  multiply(context, shape.outputs, shape.inputs, shape.num_rows, {CUBLAS_OP_N, dy, shape.outputs},
           {CUBLAS_OP_T, x, shape.inputs}, dw);
}

}  // namespace widehash::cuda
