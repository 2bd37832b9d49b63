#include "half_sums.cuh"

#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <launch.cuh>

namespace {

using namespace widehash::cuda;

/// Sets sums[k] to the sum of all values[i] with i % count == k, added in shared memory, two at a time.
__global__ void add_all(const long long* values, unsigned num_values, unsigned count,
                        unsigned long long* sums) {
  unsigned* const low = shared_memory<unsigned>();
  unsigned* const high = low + count;
  for (unsigned i = threadIdx.x; i < 2 * count; i += blockDim.x) low[i] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < num_values; i += 2 * blockDim.x) {
    const unsigned next = i + blockDim.x < num_values ? i + blockDim.x : num_values;
    unsigned* const sum[] = {low + i % count, low + next % count};
    const unsigned long long value[] = {
        static_cast<unsigned long long>(values[i]),
        next < num_values ? static_cast<unsigned long long>(values[next]) : 0};
    add_in_halves(sum, count, value);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) sums[i] = whole_sum(low[i], high[i]);
}

std::vector<long long> add_on_device(const std::vector<long long>& values, unsigned count) {
  long long* device_values = nullptr;
  unsigned long long* device_sums = nullptr;
  const std::size_t bytes = values.size() * sizeof values[0];
  std::vector<long long> sums(count);
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device_values), bytes), cudaSuccess);
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&device_sums), count * sizeof sums[0]), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(device_values, values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  launch(add_all, 1, 64, 2 * count * sizeof(unsigned), nullptr, device_values,
         static_cast<unsigned>(values.size()), count, device_sums);
  EXPECT_EQ(cudaMemcpy(sums.data(), device_sums, count * sizeof sums[0], cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(device_values);
  cudaFree(device_sums);
  return sums;
}

TEST(HalfSums, EveryWrapOfTheLowHalfIsCarriedOnce) {
  for (const unsigned count : {1u, 3u}) {
    std::vector<long long> values;
    std::vector<std::uint64_t> expected(count);
    std::uint64_t state = 1;
    for (int i = 0; i < 1000; ++i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      // Values of all sizes and both signs.
      values.push_back(static_cast<long long>(state) >> (i % 60));
      expected[static_cast<std::size_t>(i) % count] += static_cast<std::uint64_t>(values.back());
    }
    const std::vector<long long> sums = add_on_device(values, count);
    for (std::size_t k = 0; k < count; ++k) EXPECT_EQ(static_cast<std::uint64_t>(sums[k]), expected[k]);
  }
}

TEST(HalfSums, AllOnesAndNothing) {
  EXPECT_EQ(add_on_device(std::vector<long long>(64, -1), 1)[0], -64);
  EXPECT_EQ(add_on_device(std::vector<long long>(64, 0xFFFFFFFF), 1)[0], 64 * 0xFFFFFFFFll);
  EXPECT_EQ(add_on_device(std::vector<long long>(64, 0), 1)[0], 0);
  EXPECT_EQ(add_on_device({0x80000000ll, 0x80000000ll}, 1)[0], 0x100000000ll);
}

}  // namespace
