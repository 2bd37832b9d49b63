#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace widehash::cuda {

/// A test that needs a device. Skipped with a message if there is none.
class CudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess || count == 0) {
      (void)cudaGetLastError();
      GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(status);
    }
  }
};

}  // namespace widehash::cuda
