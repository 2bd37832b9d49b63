#include "device_context.hpp"

#include <fmt/format.h>

namespace widehash::cuda {
namespace {

int attribute(cudaDeviceAttr what, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, what, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

DeviceContext::DeviceContext(int device)
    : device_(device),
      selected_(device),
      name_(fmt::format("cuda:{}", device)),
      num_multiprocessors_(attribute(cudaDevAttrMultiProcessorCount, device)),
      max_shared_bytes_(
          static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device))) {}

DeviceContext::~DeviceContext() {
  (void)cudaSetDevice(device_);
  if (blas_ != nullptr) (void)cublasDestroy(blas_);
}

cublasHandle_t DeviceContext::blas() const {
  if (blas_ == nullptr) {
    make_current();
    check(cublasCreate(&blas_), "cublasCreate");
    check(cublasSetStream(blas_, stream_.get()), "cublasSetStream");
    check(cublasSetMathMode(blas_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  }
  return blas_;
}

DeviceMemory DeviceContext::memory() const {
  make_current();
  DeviceMemory memory;
  check(cudaMemGetInfo(&memory.free_bytes, &memory.total_bytes), "cudaMemGetInfo");
  return memory;
}

}  // namespace widehash::cuda
