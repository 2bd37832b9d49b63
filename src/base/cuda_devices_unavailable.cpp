#include "accelerators.hpp"

namespace widehash::detail {

std::vector<CudaDevice> find_cuda_devices(std::string& note) {
  note = "built without CUDA";
  return {};
}

}  // namespace widehash::detail
