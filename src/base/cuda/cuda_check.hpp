#pragma once

/// \file
/// Turns status codes of CUDA into exceptions that name the failed call and the device. Kernels run later
/// than they are launched, so an error may belong to an earlier call on the same device; the message says so
/// where that is likely.

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace widehash::cuda {

[[noreturn]] void throw_failure(cudaError_t status, const char* call);
[[noreturn]] void throw_failure(cublasStatus_t status, const char* call);

/// Makes `device` current for this thread. Throws DeviceError, which names `device`: after a failure another
/// device is current, or none.
void set_device(int device);

/// Throws DeviceError unless `status` is success. `call` names the function that was called, such as
/// "cudaMalloc".
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw_failure(status, call);
}
inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw_failure(status, call);
}

}  // namespace widehash::cuda
