#include "state.hpp"

#include <algorithm>

#include <cublas_v2.h>

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_HOST;
};

using namespace simulator;

namespace {

cublasStatus_t planned(const char* name) {
  const cudaError_t error = planned_failure(name);
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The value of a scalar: read from the host at the call, or from the device when the work runs.
template <class T>
auto scalar(cublasHandle_t handle, const T* at) {
  const bool is_host = handle->mode == CUBLAS_POINTER_MODE_HOST;
  return [is_host, value = is_host ? *at : T{}, at] { return is_host ? value : *at; };
}

cublasStatus_t queue(cublasHandle_t handle, std::function<void()> work) {
  return enqueue(handle->stream, std::move(work)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                 : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // namespace

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    default:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  const std::lock_guard guard(lock());
  if (const auto status = planned("cublasCreate"); status != CUBLAS_STATUS_SUCCESS) return status;
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t, void*, std::size_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  handle->mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                           int n, int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  const std::lock_guard guard(lock());
  if (const auto status = planned("cublasSgemm"); status != CUBLAS_STATUS_SUCCESS) return status;
  const int rows_a = op_a == CUBLAS_OP_N ? m : k;
  const int rows_b = op_b == CUBLAS_OP_N ? k : n;
  if (m < 0 || n < 0 || k < 0 || lda < std::max(1, rows_a) || ldb < std::max(1, rows_b) ||
      ldc < std::max(1, m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return queue(handle, [=, alpha = scalar(handle, alpha), beta = scalar(handle, beta)] {
    const auto element = [](const float* x, cublasOperation_t op, int row, int column, int ld) {
      const auto [i, j] = op == CUBLAS_OP_N ? std::pair(row, column) : std::pair(column, row);
      return x[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)];
    };
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int l = 0; l < k; ++l) sum += element(a, op_a, i, l, lda) * element(b, op_b, l, j, ldb);
        float& out =
            c[static_cast<std::size_t>(j) * static_cast<std::size_t>(ldc) + static_cast<std::size_t>(i)];
        // If beta is 0, the old value is not read, so it may be anything.
        out = alpha() * sum + (beta() == 0 ? 0.0f : beta() * out);
      }
    }
  });
}

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n, const float* alpha,
                           const float* a, int lda, const float* x, int incx, const float* beta, float* y,
                           int incy) {
  const std::lock_guard guard(lock());
  if (const auto status = planned("cublasSgemv"); status != CUBLAS_STATUS_SUCCESS) return status;
  if (m < 0 || n < 0 || lda < std::max(1, m) || incx < 1 || incy < 1) return CUBLAS_STATUS_INVALID_VALUE;
  return queue(handle, [=, alpha = scalar(handle, alpha), beta = scalar(handle, beta)] {
    const int rows = op == CUBLAS_OP_N ? m : n;
    const int columns = op == CUBLAS_OP_N ? n : m;
    for (int i = 0; i < rows; ++i) {
      float sum = 0;
      for (int j = 0; j < columns; ++j) {
        const std::size_t at =
            op == CUBLAS_OP_N
                ? static_cast<std::size_t>(j) * static_cast<std::size_t>(lda) + static_cast<std::size_t>(i)
                : static_cast<std::size_t>(i) * static_cast<std::size_t>(lda) + static_cast<std::size_t>(j);
        sum += a[at] * x[static_cast<std::ptrdiff_t>(j) * incx];
      }
      float& out = y[static_cast<std::ptrdiff_t>(i) * incy];
      out = alpha() * sum + (beta() == 0 ? 0.0f : beta() * out);
    }
  });
}

cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float* alpha, const float* x, int incx,
                           float* y, int incy) {
  const std::lock_guard guard(lock());
  if (const auto status = planned("cublasSaxpy"); status != CUBLAS_STATUS_SUCCESS) return status;
  return queue(handle, [=, alpha = scalar(handle, alpha)] {
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * incy] += alpha() * x[i * incx];
  });
}
