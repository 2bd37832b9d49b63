#pragma once

/// \file
/// What a device can do at most, measured in the same run as the operations that are held against it.

#include "cuda/device_buffer.hpp"

#include <cstddef>

namespace widehash::bench {

/// Seconds between two points of a stream, by the device's own clock.
class DeviceStopwatch {
 public:
  explicit DeviceStopwatch(const cuda::DeviceContext& context);
  ~DeviceStopwatch();
  DeviceStopwatch(const DeviceStopwatch&) = delete;
  DeviceStopwatch& operator=(const DeviceStopwatch&) = delete;

  void start();
  /// Waits for the work since start().
  double stop();

 private:
  const cuda::DeviceContext& context_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Queues one pass over `bytes` of device memory, a power of two, read as vectors and thrown away, `passes` times.
void read_repeatedly(const cuda::DeviceContext& context, const std::byte* memory, std::size_t bytes,
                     int passes, unsigned* sink);

/// Queues `passes` additions to 64-bit sums in shared memory by every thread of a full device; gives how many
/// that are. The lanes of a warp add to neighbouring sums, without conflict, or to any.
std::size_t add_in_shared_memory(const cuda::DeviceContext& context, bool to_neighbours, int passes,
                                 unsigned* sink);

/// Queues a kernel that takes so long at least, and next to nothing of the device.
void hold_device(const cuda::DeviceContext& context, double seconds);

/// Queues a kernel of one block that does nothing.
void launch_empty_kernel(const cuda::DeviceContext& context);

}  // namespace widehash::bench
