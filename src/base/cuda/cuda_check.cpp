#include "cuda_check.hpp"

#include <widehash/error.hpp>

#include <fmt/format.h>

namespace widehash::cuda {
namespace {

int current_device() noexcept {
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) return -1;
  return device;
}

}  // namespace

void throw_failure(cudaError_t status, const char* call) {
  // A pending error would be told again by the next call that is asked for one.
  (void)cudaGetLastError();
  const bool is_late = status == cudaErrorIllegalAddress || status == cudaErrorLaunchFailure;
  throw DeviceError(fmt::format("cuda:{}: {} failed: {} ({}){}", current_device(), call,
                                cudaGetErrorString(status), cudaGetErrorName(status),
                                is_late ? "; a kernel started before it is the likely cause" : ""));
}

void throw_failure(cublasStatus_t status, const char* call) {
  throw DeviceError(
      fmt::format("cuda:{}: {} failed: {}", current_device(), call, cublasGetStatusString(status)));
}

}  // namespace widehash::cuda
