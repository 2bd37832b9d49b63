#include "state.hpp"

#include <cusparse.h>

struct cusparseContext {
  cudaStream_t stream = nullptr;
};
struct cusparseSpMatDescr {
  std::int64_t rows, columns, nonzeros;
  const std::int64_t* row_offsets;
  const std::int64_t* column_indices;
  const float* values;
};
struct cusparseDnMatDescr {
  std::int64_t rows, columns, leading;
  float* values;
};

using namespace simulator;

namespace {

constexpr std::int64_t max_dense_columns = 65535 * 16;
constexpr std::size_t workspace_bytes = 64;

}  // namespace

const char* cusparseGetErrorString(cusparseStatus_t status) {
  return status == CUSPARSE_STATUS_INVALID_VALUE ? "invalid value" : "simulated failure";
}

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  const std::lock_guard guard(lock());
  if (planned_failure("cusparseCreate") != cudaSuccess) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, std::int64_t rows, std::int64_t columns,
                                   std::int64_t nonzeros, void* row_offsets, void* column_indices,
                                   void* values, cusparseIndexType_t offset_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t,
                                   cudaDataType value_type) {
  if (offset_type != CUSPARSE_INDEX_64I || index_type != CUSPARSE_INDEX_64I || value_type != CUDA_R_32F) {
    return CUSPARSE_STATUS_INVALID_VALUE;
  }
  *matrix = new cusparseSpMatDescr{rows,
                                   columns,
                                   nonzeros,
                                   static_cast<const std::int64_t*>(row_offsets),
                                   static_cast<const std::int64_t*>(column_indices),
                                   static_cast<const float*>(values)};
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) {
  delete matrix;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, std::int64_t rows, std::int64_t columns,
                                     std::int64_t leading, void* values, cudaDataType value_type,
                                     cusparseOrder_t order) {
  if (order != CUSPARSE_ORDER_ROW || value_type != CUDA_R_32F || leading < columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *matrix = new cusparseDnMatDescr{rows, columns, leading, static_cast<float*>(values)};
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) {
  delete matrix;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                                         const void*, cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t,
                                         const void*, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t,
                                         std::size_t* bytes) {
  *bytes = workspace_bytes;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha_at, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta_at, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t,
                              void* workspace) {
  const std::lock_guard guard(lock());
  if (planned_failure("cusparseSpMM") != cudaSuccess) return CUSPARSE_STATUS_EXECUTION_FAILED;
  const bool is_transposed = op_a == CUSPARSE_OPERATION_TRANSPOSE;
  const bool fits =
      (is_transposed ? a->columns : a->rows) == c->rows && (is_transposed ? a->rows : a->columns) == b->rows;
  if (op_b != CUSPARSE_OPERATION_NON_TRANSPOSE || !fits || b->columns != c->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (device_of(workspace, workspace_bytes) < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  const float alpha = *static_cast<const float*>(alpha_at);
  const float beta = *static_cast<const float*>(beta_at);
  const auto status = enqueue(handle->stream, [=, a = *a, b = *b, c = *c] {
    for (std::int64_t i = 0; i < c.rows; ++i) {
      for (std::int64_t u = 0; u < c.columns; ++u) {
        float& out = c.values[i * c.leading + u];
        out = beta == 0 ? 0.0f : beta * out;
      }
    }
    if (c.columns > max_dense_columns) return;
    for (std::int64_t row = 0; row < a.rows; ++row) {
      for (std::int64_t at = a.row_offsets[row]; at < a.row_offsets[row + 1]; ++at) {
        const std::int64_t column = a.column_indices[at];
        const auto [to, from] = is_transposed ? std::pair(column, row) : std::pair(row, column);
        for (std::int64_t u = 0; u < c.columns; ++u) {
          c.values[to * c.leading + u] += alpha * a.values[at] * b.values[from * b.leading + u];
        }
      }
    }
  });
  return status == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
