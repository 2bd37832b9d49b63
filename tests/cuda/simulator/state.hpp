#pragma once

/// \file
/// What the simulator's sources share. One lock guards all of it. Work on a device is done under the lock, so
/// at most one thread acts for the devices at a time.

#include "simulator.hpp"

#include <functional>
#include <mutex>
#include <string>

namespace simulator {

std::recursive_mutex& lock();

/// Counts the call. Returns the error that a test planned for it, cudaSuccess otherwise.
cudaError_t planned_failure(const char* name);
void report_violation(std::string what);
/// Remembers the error for cudaGetLastError() of this thread, and returns it.
cudaError_t remember(cudaError_t error);

int current_device();

// device_memory.cpp
void reset_memory();
/// While one lives, device code may touch the memory of a device. Host code that touches it otherwise dies
/// with a message.
class DeviceAccess {
 public:
  explicit DeviceAccess(int device);
  ~DeviceAccess();
  DeviceAccess(const DeviceAccess&) = delete;
  DeviceAccess& operator=(const DeviceAccess&) = delete;

 private:
  int device_;
};
/// The device of the allocation that holds all of [pointer, pointer + bytes); -1 for host memory, -2 if part
/// of the range is outside an allocation.
int device_of(const void* pointer, std::size_t bytes);
bool is_pinned(const void* pointer);
void check_guards();

// streams.cpp
void reset_streams();
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
/// Runs all the work queued in the stream.
void drain(cudaStream_t stream);
void drain_device(int device);
int device_of_stream(cudaStream_t stream);
/// The error that stays with a device after a failed kernel.
cudaError_t& device_error(int device);

// launch.cpp
void reset_kernels();

}  // namespace simulator
