#include "accelerators.hpp"

#include <string>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace widehash::detail {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Describes what the driver supports and what this program was built with, where they do not fit: "; the
/// driver supports programs for CUDA 12.8, ...". Otherwise "".
std::string versions() {
  int driver = 0;
  int runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || cudaRuntimeGetVersion(&runtime) != cudaSuccess)
    return "";
  if (driver == 0) return "; there is no driver (libcuda.so.1 is not found)";
  if (driver / 1000 >= runtime / 1000) return "";
  return "; the driver supports programs for CUDA " + version_text(driver) + ", but this one is for CUDA " +
         version_text(runtime);
}

}  // namespace

std::vector<CudaDevice> find_cuda_devices(std::string& note) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    note = std::string("no CUDA device: ") + cudaGetErrorString(status) + versions();
    return {};
  }
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    const cudaError_t found = cudaGetDeviceProperties(&properties, index);
    if (found != cudaSuccess) {
      (void)cudaGetLastError();  // otherwise a later call would report this error
      note += fmt::format("{}cuda:{} is left out: {}", note.empty() ? "" : "; ", index,
                          cudaGetErrorString(found));
      continue;
    }
    const int capability = 10 * properties.major + properties.minor;
    if (capability < WIDEHASH_LEAST_COMPUTE_CAPABILITY) {
      note += fmt::format(
          "{}cuda:{} ({}) is left out: it has compute capability {}, but this build needs {} or later",
          note.empty() ? "" : "; ", index, properties.name, capability, WIDEHASH_LEAST_COMPUTE_CAPABILITY);
      continue;
    }
    devices.push_back(
        {index, properties.name, properties.major, properties.minor, properties.totalGlobalMem});
  }
  if (devices.empty() && note.empty()) note = "no CUDA device found";
  return devices;
}

}  // namespace widehash::detail
