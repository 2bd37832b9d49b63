#pragma once

/// \file
/// Status codes of CUDA as exceptions that name the call that failed and the device it failed on. Kernels run
/// later than they are called, so an error may belong to an earlier call on the same device; the message says
/// so where that is likely.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace widehash::cuda {

[[noreturn]] void throw_failure(cudaError_t status, const char* call);
[[noreturn]] void throw_failure(cublasStatus_t status, const char* call);

/// Makes `device` the current one of this thread. Throws DeviceError, which names it: what is current then is
/// another, or none.
void set_device(int device);

/// Throws DeviceError where `status` is no success. `call` is the name of what was called, such as
/// "cudaMalloc".
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw_failure(status, call);
}
inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw_failure(status, call);
}

}  // namespace widehash::cuda
