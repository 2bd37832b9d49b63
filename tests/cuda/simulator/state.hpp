#pragma once

/// \file
/// What the simulator's sources share. One lock guards all of it; work on a device is done under the lock, so
/// at most one thread plays the devices at a time.

#include "simulator.hpp"

#include <functional>
#include <mutex>
#include <string>

namespace simulator {

std::recursive_mutex& lock();

/// The error to return where a test planned a failure of this call, cudaSuccess otherwise. Counts the call.
cudaError_t planned_failure(const char* name);
void report_violation(std::string what);
/// Remembers the error for cudaGetLastError() of this thread, and returns it.
cudaError_t remember(cudaError_t error);

int current_device();

// device_memory.cpp
void reset_memory();
/// While one lives, device code may touch the memory of a device; host code that touches it otherwise dies
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
/// Device of the allocation that holds all of [pointer, pointer + bytes); -1: host memory, -2: partly beside
/// an allocation.
int device_of(const void* pointer, std::size_t bytes);
bool is_pinned(const void* pointer);
void check_guards();

// streams.cpp
void reset_streams();
cudaError_t enqueue(cudaStream_t stream, std::function<void()> work);
/// Runs all that the stream has to do.
void drain(cudaStream_t stream);
void drain_device(int device);
int device_of_stream(cudaStream_t stream);
/// The error that stays with a device after a failed kernel.
cudaError_t& device_error(int device);

// launch.cpp
void reset_kernels();

}  // namespace simulator
