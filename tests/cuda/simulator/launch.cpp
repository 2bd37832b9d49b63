#include "device_code.hpp"
#include "state.hpp"

#include <algorithm>
#include <map>

namespace simulator {
namespace {

constexpr std::size_t shared_bytes_without_opt_in = 48 * 1024;

std::map<const void*, std::size_t> shared_limits;  // for kernels that opted in

cudaError_t check_launch(const void* kernel, dim3 grid, dim3 block, std::size_t shared_bytes) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64) return cudaErrorInvalidConfiguration;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7FFFFFFFu || grid.y > 65535 || grid.z > 65535) {
    return cudaErrorInvalidConfiguration;
  }
  const auto limit = shared_limits.find(kernel);
  if (shared_bytes > (limit == shared_limits.end() ? shared_bytes_without_opt_in : limit->second)) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

void reset_kernels() { shared_limits.clear(); }

cudaError_t enqueue_kernel(const void* kernel, const char* name, dim3 grid, dim3 block,
                           std::size_t shared_bytes, cudaStream_t stream, std::function<void()> thread) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("launch"); error != cudaSuccess) return remember(error);
  if (const auto error = check_launch(kernel, grid, block, shared_bytes); error != cudaSuccess)
    return remember(error);
  return remember(
      enqueue(stream, [=, work = std::move(thread)] { run_grid(name, grid, block, shared_bytes, work); }));
}

}  // namespace simulator

using namespace simulator;

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaFuncSetAttribute"); error != cudaSuccess)
    return remember(error);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || static_cast<std::size_t>(value) > settings().shared_bytes_per_block) {
    return remember(cudaErrorInvalidValue);
  }
  shared_limits[kernel] = std::max(static_cast<std::size_t>(value), shared_bytes_without_opt_in);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int block_threads,
                                                          std::size_t shared_bytes) {
  const std::lock_guard guard(lock());
  const auto limit = shared_limits.find(kernel);
  const bool is_allowed =
      shared_bytes <= (limit == shared_limits.end() ? shared_bytes_without_opt_in : limit->second);
  const std::size_t by_shared = (settings().shared_bytes_per_block + 1024) / (shared_bytes + 1024);
  const int by_threads = settings().threads_per_multiprocessor / std::max(block_threads, 1);
  *blocks = is_allowed ? std::min(static_cast<int>(by_shared), by_threads) : 0;
  return cudaSuccess;
}
