#include "accelerators.hpp"

#include <cuda_runtime_api.h>

namespace widehash::detail {

std::vector<CudaDevice> find_cuda_devices(std::string& note) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    note = std::string("no CUDA device: ") + cudaGetErrorString(status);
    return {};
  }
  std::vector<CudaDevice> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) continue;
    devices.push_back(
        {index, properties.name, properties.major, properties.minor, properties.totalGlobalMem});
  }
  if (devices.empty()) note = "no CUDA device found";
  return devices;
}

}  // namespace widehash::detail
