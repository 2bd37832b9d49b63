#include "device_limits.hpp"
#include "half_sums.cuh"

#include <launch.cuh>

namespace widehash::bench {
namespace {

constexpr unsigned block_threads = 512;
constexpr unsigned shared_sums = 4096;  // of a block, 32 KiB
constexpr unsigned in_flight = 4;       // words that a thread reads at once

__global__ void __launch_bounds__(block_threads)
    read_words(const uint4* words, std::size_t num_words, int passes, unsigned* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    // Several in flight a thread, as many as the kernels have that are held against this.
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < num_words;
         i += in_flight * step) {
      for (unsigned k = 0; k < in_flight; ++k) {
        if (i + k * step >= num_words) break;
        // Past the first cache, which is not the one that is measured.
        const uint4 word = __ldcg(words + i + k * step);
        sum += word.x ^ word.y ^ word.z ^ word.w;
      }
    }
  }
  // The compiler must not see that nobody wants the sum.
  if (sum == 0x9E3779B1u) *sink = sum;
}

/// As the backward pass adds: 64-bit integers, at places that neighbouring threads share by chance only.
__global__ void __launch_bounds__(block_threads) add_in_shared(int passes, unsigned* sink) {
  unsigned* const low = cuda::shared_memory<unsigned>();
  unsigned* const high = low + shared_sums;
  for (unsigned i = threadIdx.x; i < 2 * shared_sums; i += blockDim.x) low[i] = 0;
  __syncthreads();
  unsigned place = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u;
  for (int pass = 0; pass < passes; ++pass) {
    // Mixed, since the numbers of neighbouring threads stay the same distance apart.
    place = place * 1664525u + 1013904223u;
    const unsigned mixed = (place ^ (place >> 15)) * 2246822519u;
    const unsigned at = (mixed >> 16) % shared_sums;
    cuda::add_in_halves(low + at, high + at, place);
  }
  __syncthreads();
  // The compiler must not see that nobody wants the sums.
  if (threadIdx.x == 0 && high[blockIdx.x % shared_sums] == 0x9E3779B1u) *sink = 1;
}

__global__ void empty_kernel() {}

}  // namespace

DeviceStopwatch::DeviceStopwatch(const cuda::DeviceContext& context) : context_(context) {
  context.make_current();
  cuda::check(cudaEventCreate(&begin_), "cudaEventCreate");
  cuda::check(cudaEventCreate(&end_), "cudaEventCreate");
}

DeviceStopwatch::~DeviceStopwatch() {
  (void)cudaEventDestroy(begin_);
  (void)cudaEventDestroy(end_);
}

void DeviceStopwatch::start() {
  cuda::check(cudaEventRecord(begin_, context_.stream().get()), "cudaEventRecord");
}

double DeviceStopwatch::stop() {
  cuda::check(cudaEventRecord(end_, context_.stream().get()), "cudaEventRecord");
  cuda::check(cudaEventSynchronize(end_), "cudaEventSynchronize");
  float milliseconds = 0;
  cuda::check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

void read_repeatedly(const cuda::DeviceContext& context, const std::byte* memory, std::size_t bytes,
                     int passes, unsigned* sink) {
  const auto blocks = static_cast<unsigned>(context.num_multiprocessors() * 4);
  cuda::launch(read_words, blocks, block_threads, 0, context.stream().get(),
               reinterpret_cast<const uint4*>(memory), bytes / sizeof(uint4), passes, sink);
}

void launch_empty_kernel(const cuda::DeviceContext& context) {
  cuda::launch(empty_kernel, dim3(1), dim3(32), 0, context.stream().get());
}

std::size_t add_in_shared_memory(const cuda::DeviceContext& context, int passes, unsigned* sink) {
  const auto blocks = static_cast<unsigned>(context.num_multiprocessors() * 4);
  cuda::launch(add_in_shared, blocks, block_threads, shared_sums * sizeof(unsigned long long),
               context.stream().get(), passes, sink);
  return std::size_t{blocks} * block_threads * static_cast<std::size_t>(passes);
}

}  // namespace widehash::bench
