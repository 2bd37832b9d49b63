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

/// Whether it is told by whichever call comes after the kernel that went wrong.
bool is_late(cudaError_t status) noexcept {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

}  // namespace

void throw_failure(cudaError_t status, const char* call) {
  // A pending error would be told again by the next call that is asked for one.
  (void)cudaGetLastError();
  throw DeviceError(fmt::format("cuda:{}: {} failed: {} ({}){}", current_device(), call,
                                cudaGetErrorString(status), cudaGetErrorName(status),
                                is_late(status) ? "; a kernel started before it is the likely cause" : ""));
}

void throw_failure(cublasStatus_t status, const char* call) {
  throw DeviceError(
      fmt::format("cuda:{}: {} failed: {}", current_device(), call, cublasGetStatusString(status)));
}

}  // namespace widehash::cuda
