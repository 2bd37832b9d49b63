#include "device_limits.hpp"
#include "half_sums.cuh"

#include <launch.cuh>

namespace widehash::bench {
namespace {

constexpr unsigned block_threads = 512;
constexpr unsigned shared_sums = 4096;  // per block, 32 KiB
constexpr unsigned in_flight = 4;       // loads in flight per thread
constexpr unsigned warp_threads = 32;
constexpr double most_ticks_per_second = 2e9;  // of a multiprocessor's clock

/// Reads `count` words in all, starting over at the end of the array. `num_words` is a power of two.
__global__ void __launch_bounds__(block_threads)
    read_words(const uint4* words, std::size_t num_words, std::size_t count, unsigned* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  // Bypasses the first-level cache, which is not to be measured.
  const auto read = [&](std::size_t i) { return __ldcg(words + (i & (num_words - 1))); };
  const auto add = [&](const uint4& word) { sum += word.x ^ word.y ^ word.z ^ word.w; };
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (in_flight - 1) * step < count; i += in_flight * step) {
    // No branches between the loads, which would wait for the previous one.
    uint4 found[in_flight];
    for (unsigned k = 0; k < in_flight; ++k) found[k] = read(i + k * step);
    for (const uint4& word : found) add(word);
  }
  for (; i < count; i += step) add(read(i));
  // Keeps the compiler from removing the unused sum.
  if (sum == 0x9E3779B1u) *sink = sum;
}

constexpr unsigned at_once = 4;

/// Adds 64-bit integers as the backward pass does, `at_once` at a time; `passes` is a multiple of that. To
/// neighbouring sums, as for a tile of 32 units and for copies of narrow slots, each lane of a warp uses a
/// bank of its own, which is the fastest case. To any sums, three or four lanes share a bank or a sum.
template <bool to_neighbours>
__global__ void __launch_bounds__(block_threads) add_in_shared(int passes, unsigned* sink) {
  unsigned* const low = cuda::shared_memory<unsigned>();
  unsigned* const high = low + shared_sums;
  for (unsigned i = threadIdx.x; i < 2 * shared_sums; i += blockDim.x) low[i] = 0;
  __syncthreads();
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % warp_threads;
  unsigned place = (to_neighbours ? thread / warp_threads : thread) * 2654435761u;
  for (int pass = 0; pass < passes; pass += at_once) {
    unsigned* sum[at_once];
    unsigned long long value[at_once];
    for (unsigned k = 0; k < at_once; ++k) {
      // Mixed, because the numbers of neighbouring threads keep the same distance from each other.
      place = place * 1664525u + 1013904223u;
      const unsigned mixed = (place ^ (place >> 15)) * 2246822519u;
      const unsigned any = (mixed >> 16) % shared_sums;
      sum[k] = low + (to_neighbours ? any / warp_threads * warp_threads + lane : any);
      value[k] = place;
    }
    cuda::add_in_halves(sum, shared_sums, value);
  }
  __syncthreads();
  // Keeps the compiler from removing the unused sums.
  if (threadIdx.x == 0 && high[blockIdx.x % shared_sums] == 0x9E3779B1u) *sink = 1;
}

__global__ void empty_kernel() {}

__global__ void hold_kernel(long long ticks) {
  const long long begin = clock64();
  while (clock64() - begin < ticks) {
  }
}

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
               reinterpret_cast<const uint4*>(memory), bytes / sizeof(uint4),
               static_cast<std::size_t>(passes) * (bytes / sizeof(uint4)), sink);
}

void hold_device(const cuda::DeviceContext& context, double seconds) {
  cuda::launch(hold_kernel, dim3(1), dim3(1), 0, context.stream().get(),
               static_cast<long long>(seconds * most_ticks_per_second));
}

void launch_empty_kernel(const cuda::DeviceContext& context) {
  cuda::launch(empty_kernel, dim3(1), dim3(32), 0, context.stream().get());
}

std::size_t add_in_shared_memory(const cuda::DeviceContext& context, bool to_neighbours, int passes,
                                 unsigned* sink) {
  const auto blocks = static_cast<unsigned>(context.num_multiprocessors() * 4);
  cuda::launch(to_neighbours ? add_in_shared<true> : add_in_shared<false>, blocks, block_threads,
               shared_sums * sizeof(unsigned long long), context.stream().get(), passes, sink);
  return std::size_t{blocks} * block_threads * static_cast<std::size_t>(passes);
}

}  // namespace widehash::bench
