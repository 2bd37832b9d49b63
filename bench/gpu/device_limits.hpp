#pragma once

/// \file
/// The limits of a device, measured in the same run as the operations that are compared with them.

#include "cuda/device_buffer.hpp"

#include <cstddef>

namespace widehash::bench {

/// Measures the seconds between two points of a stream by the device's own clock.
class DeviceStopwatch {
 public:
  explicit DeviceStopwatch(const cuda::DeviceContext& context);
  ~DeviceStopwatch();
  DeviceStopwatch(const DeviceStopwatch&) = delete;
  DeviceStopwatch& operator=(const DeviceStopwatch&) = delete;

  void start();
  /// Waits for the work queued since start(). Returns its duration.
  double stop();

 private:
  const cuda::DeviceContext& context_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

/// Queues `passes` passes over `bytes` (a power of two) of device memory, read as vectors and discarded.
void read_repeatedly(const cuda::DeviceContext& context, const std::byte* memory, std::size_t bytes,
                     int passes, unsigned* sink);

/// Queues `passes` additions by every thread of a full device to 64-bit sums in shared memory; returns the
/// number of additions. The lanes of a warp add to neighbouring sums, without conflicts, or to random ones.
std::size_t add_in_shared_memory(const cuda::DeviceContext& context, bool to_neighbours, int passes,
                                 unsigned* sink);

/// Queues a kernel that takes at least `seconds` and occupies almost nothing of the device.
void hold_device(const cuda::DeviceContext& context, double seconds);

/// Queues a kernel of one block that does nothing.
void launch_empty_kernel(const cuda::DeviceContext& context);

}  // namespace widehash::bench
