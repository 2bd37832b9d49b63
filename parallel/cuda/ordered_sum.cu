#include "ordered_sum.hpp"

#include <algorithm>

#include <launch.cuh>

namespace widehash::cuda {
namespace {

constexpr unsigned block_threads = 256;
constexpr std::size_t max_blocks = 1 << 14;

__global__ void __launch_bounds__(block_threads)
    sum_parts(const float* parts, std::size_t num_parts, std::size_t own_part, const float* own,
              std::size_t count, float* sums) {
  const auto value = [&](std::size_t r, std::size_t i) {
    return r == own_part ? own[i] : parts[r * count + i];
  };
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    float sum = value(0, i);
    for (std::size_t r = 1; r < num_parts; ++r) sum += value(r, i);
    sums[i] = sum;
  }
}

}  // namespace

void sum_in_order(const float* parts, std::size_t num_parts, std::size_t own_part, const float* own,
                  std::size_t count, float* sums, const Stream& stream) {
  const std::size_t blocks = std::min((count + block_threads - 1) / block_threads, max_blocks);
  launch(sum_parts, static_cast<unsigned>(blocks), block_threads, 0, stream.get(), parts, num_parts, own_part,
         own, count, sums);
}

}  // namespace widehash::cuda
