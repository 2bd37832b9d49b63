#include "device_limits.hpp"

#include <launch.cuh>

namespace widehash::bench {
namespace {

constexpr unsigned block_threads = 512;

__global__ void __launch_bounds__(block_threads)
    read_words(const uint4* words, std::size_t num_words, int passes, unsigned* sink) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < num_words; i += step) {
      // Past the first cache, which is not the one that is measured.
      const uint4 word = __ldcg(words + i);
      sum += word.x ^ word.y ^ word.z ^ word.w;
    }
  }
  // The compiler must not see that nobody wants the sum.
  if (sum == 0x9E3779B1u) *sink = sum;
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
               reinterpret_cast<const uint4*>(memory), bytes / sizeof(uint4), passes, sink);
}

}  // namespace widehash::bench
