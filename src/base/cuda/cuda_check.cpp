#include "cuda_check.hpp"

#include <widehash/error.hpp>

#include <string>

#include <fmt/format.h>

namespace widehash::cuda {
namespace {

/// Returns "cuda:0", or "cuda" if no device is current.
std::string current_device() {
  int device = 0;
  return cudaGetDevice(&device) == cudaSuccess ? fmt::format("cuda:{}", device) : "cuda";
}

/// Whether the error is reported by whichever call follows the faulty kernel.
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

[[noreturn]] void throw_failure_of(const std::string& device, cudaError_t status, const char* call) {
  // A pending error would be reported again by the next call that checks for one.
  (void)cudaGetLastError();
  throw DeviceError(fmt::format(
      "{}: {} failed: {} ({}){}", device, call, cudaGetErrorString(status), cudaGetErrorName(status),
      is_late(status) ? "; the likely cause is a kernel that was started before it" : ""));
}

}  // namespace

void throw_failure(cudaError_t status, const char* call) { throw_failure_of(current_device(), status, call); }

void throw_failure(cublasStatus_t status, const char* call) {
  throw DeviceError(fmt::format("{}: {} failed: {}", current_device(), call, cublasGetStatusString(status)));
}

void set_device(int device) {
  const cudaError_t status = cudaSetDevice(device);
  if (status != cudaSuccess) throw_failure_of(fmt::format("cuda:{}", device), status, "cudaSetDevice");
}

}  // namespace widehash::cuda
