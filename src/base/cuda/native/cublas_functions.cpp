// The cuBLAS functions that we call. Each forwards to the library; see late_library.hpp.
#include "late_library.hpp"

#include <cublas_v2.h>

namespace {

const widehash::cuda::LateLibrary& library() {
  static const widehash::cuda::LateLibrary loaded(fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR));
  return loaded;
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  static const auto create = library().function(cublasCreate_v2, "cublasCreate_v2");
  return create(handle);
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  static const auto destroy = library().function(cublasDestroy_v2, "cublasDestroy_v2");
  return destroy(handle);
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  static const auto set_stream = library().function(cublasSetStream_v2, "cublasSetStream_v2");
  return set_stream(handle, stream);
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  static const auto set_mode = library().function(cublasSetMathMode, "cublasSetMathMode");
  return set_mode(handle, mode);
}

const char* cublasGetStatusString(cublasStatus_t status) {
  static const auto text_of = library().function(cublasGetStatusString, "cublasGetStatusString");
  return text_of(status);
}

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t a_operation,
                              cublasOperation_t b_operation, int m, int n, int k, const float* alpha,
                              const float* a, int a_stride, const float* b, int b_stride, const float* beta,
                              float* c, int c_stride) {
  static const auto multiply = library().function(cublasSgemm_v2, "cublasSgemm_v2");
  return multiply(handle, a_operation, b_operation, m, n, k, alpha, a, a_stride, b, b_stride, beta, c,
                  c_stride);
}

}  // extern "C"
