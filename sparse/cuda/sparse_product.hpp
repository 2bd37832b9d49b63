#pragma once

/// \file
/// Products of a CSR matrix in device memory with dense matrices, by cuSPARSE: the second implementation of
/// the gather-sum and of its transpose. It takes any CSR matrix, and the kernels over code batches are
/// compared with it, for results and for speed.

#include "cuda/device_buffer.hpp"

#include <widehash/csr.hpp>

#include <cstddef>
#include <cstdint>

struct cusparseContext;

namespace widehash::cuda {

/// A matrix of csr.hpp in device memory that it does not own. Trivially copyable.
struct DeviceCsrView {
  SparseIndex num_rows = 0;
  SparseIndex num_columns = 0;
  SparseIndex num_nonzeros = 0;
  const SparseIndex* row_offsets = nullptr;
  const SparseIndex* columns = nullptr;
  const float* values = nullptr;
};

/// A matrix of csr.hpp that owns its device memory.
struct DeviceCsr {
  DeviceCsr(const DeviceContext& context, const CsrView& matrix);

  DeviceCsrView view() const noexcept {
    return {num_rows,           num_columns,    static_cast<SparseIndex>(columns.size()),
            row_offsets.data(), columns.data(), values.data()};
  }

  SparseIndex num_rows;
  SparseIndex num_columns;
  DeviceBuffer<SparseIndex> row_offsets;
  DeviceBuffer<SparseIndex> columns;
  DeviceBuffer<float> values;
};

/// cuSPARSE with its workspace. For one thread at a time; asynchronous on the context's stream.
class SparseProduct {
 public:
  /// Most units per call of cuSPARSE, which returns zeros for dense matrices of more than 65,535 x 16
  /// columns; wider ones go in slices of this many.
  static constexpr std::size_t max_units_at_once = std::size_t{1} << 19;

  /// `units_at_once`, a multiple of 4, is for tests: cuSPARSE may require dense matrices to begin at
  /// multiples of 16 bytes. Throws DeviceError.
  explicit SparseProduct(const DeviceContext& context, std::size_t units_at_once = max_units_at_once);
  ~SparseProduct();
  SparseProduct(const SparseProduct&) = delete;
  SparseProduct& operator=(const SparseProduct&) = delete;

  /// Y = X W. Shapes: X[rows, columns], W[columns, units], Y[rows, units], row-major float32; Y does not
  /// overlap W.
  void multiply(const DeviceCsrView& x, const float* w, std::size_t units, float* y);
  /// G += X^T D. Shapes: X[rows, columns], D[rows, units], G[columns, units]. cuSPARSE adds in an order of
  /// its own, so two runs may differ in the last bits.
  void add_transposed(const DeviceCsrView& x, const float* d, std::size_t units, float* g);

 private:
  void run(const DeviceCsrView& x, bool is_transposed, const float* in, std::size_t units, float beta,
           float* out);

  const DeviceContext& context_;
  std::size_t units_at_once_;
  cusparseContext* handle_ = nullptr;
  DeviceBuffer<std::byte> workspace_;
};

}  // namespace widehash::cuda
