#include "state.hpp"

#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <vector>

struct CUstream_st {
  int device = 0;
  bool is_blocking = true;  // synchronises with the default stream
  std::deque<std::function<void()>> work;
};

namespace simulator {
namespace {

struct Mark {
  CUstream_st* stream = nullptr;
  int device = 0;
  bool is_reached = false;
  std::chrono::steady_clock::time_point time;
};

struct DeviceStreams {
  CUstream_st default_stream;
  std::set<CUstream_st*> streams;
  cudaError_t error = cudaSuccess;
};

constexpr int max_devices = 16;
DeviceStreams devices[max_devices];
std::mt19937_64 turns;

CUstream_st& resolve(cudaStream_t stream) {
  return stream == nullptr ? devices[current_device()].default_stream : *stream;
}

bool is_alive(cudaStream_t stream) {
  if (stream == nullptr) return true;
  for (const DeviceStreams& device : devices) {
    if (device.streams.contains(stream)) return true;
  }
  return false;
}

bool run_next(CUstream_st& stream) {
  if (stream.work.empty()) return false;
  const auto next = std::move(stream.work.front());
  stream.work.pop_front();
  const DeviceAccess access(stream.device);
  if (devices[stream.device].error == cudaSuccess) next();
  return true;
}

/// In shuffled order, gives other streams of the device turns in between.
void let_others_run(const CUstream_st& stream) {
  if (settings().order != Order::shuffled) return;
  for (CUstream_st* const other : devices[stream.device].streams) {
    if (other != &stream && turns() % 2 == 0) run_next(*other);
  }
}

// Opens the memory once for all work that runs in a row: each time costs a system call per allocation.
void drain(CUstream_st& stream) {
  if (stream.work.empty()) return;
  const DeviceAccess access(stream.device);
  while (!stream.work.empty()) {
    let_others_run(stream);
    run_next(stream);
  }
}

void run_until(const std::shared_ptr<Mark>& mark) {
  if (mark->is_reached) return;
  const DeviceAccess access(mark->stream->device);
  while (!mark->is_reached && run_next(*mark->stream)) {
  }
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, CUstream_st& stream) {
  if (bytes == 0) return cudaSuccess;
  const int to_device = device_of(to, bytes);
  const int from_device = device_of(from, bytes);
  if (to_device == -2 || from_device == -2) {
    report_violation("a copy of " + std::to_string(bytes) + " bytes past the end of a device allocation");
    return cudaErrorInvalidValue;
  }
  const bool wants_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool wants_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind != cudaMemcpyDefault &&
      (wants_to_device != (to_device >= 0) || wants_from_device != (from_device >= 0))) {
    report_violation("a copy in another direction than its kind says");
    return cudaErrorInvalidValue;
  }
  // Captures the device number only: a copy of the stream would hold a copy of everything queued.
  const auto error = enqueue(&stream, [=, device = stream.device] {
    const DeviceAccess to_access(to_device < 0 ? device : to_device);
    const DeviceAccess from_access(from_device < 0 ? device : from_device);
    std::memcpy(to, from, bytes);
  });
  // Pageable memory is copied through a staging buffer before the call returns.
  const bool is_pageable = (to_device < 0 && !is_pinned(to)) || (from_device < 0 && !is_pinned(from));
  if (error == cudaSuccess && is_pageable) drain(stream);
  return error != cudaSuccess ? error : devices[stream.device].error;
}

cudaError_t fill(void* pointer, int value, std::size_t bytes, CUstream_st& stream) {
  if (bytes == 0) return cudaSuccess;
  const int device = device_of(pointer, bytes);
  if (device < 0) {
    report_violation("a memset of " + std::to_string(bytes) + " bytes outside an allocation");
    return cudaErrorInvalidValue;
  }
  return enqueue(&stream, [=] {
    const DeviceAccess access(device);
    std::memset(pointer, value, bytes);
  });
}

}  // namespace

void reset_streams() {
  for (int device = 0; device < max_devices; ++device) {
    devices[device] = {};
    devices[device].default_stream.device = device;
  }
  turns.seed(settings().seed);
}

cudaError_t& device_error(int device) { return devices[device].error; }
int device_of_stream(cudaStream_t stream) { return resolve(stream).device; }
void drain(cudaStream_t stream) { drain(resolve(stream)); }

void drain_device(int device) {
  drain(devices[device].default_stream);
  for (CUstream_st* const stream : devices[device].streams) drain(*stream);
}

cudaError_t enqueue(cudaStream_t handle, std::function<void()> work) {
  if (!is_alive(handle) && handle != &devices[current_device()].default_stream)
    return cudaErrorInvalidResourceHandle;
  CUstream_st& stream = resolve(handle);
  DeviceStreams& device = devices[stream.device];
  if (device.error != cudaSuccess) return device.error;
  // The default stream and the blocking streams wait for each other.
  if (&stream == &device.default_stream) {
    for (CUstream_st* const other : device.streams) {
      if (other->is_blocking) drain(*other);
    }
  } else if (stream.is_blocking) {
    drain(device.default_stream);
  }
  stream.work.push_back(std::move(work));
  if (!settings().deferred) drain(stream);
  return cudaSuccess;
}

}  // namespace simulator

using namespace simulator;

struct CUevent_st {
  std::shared_ptr<Mark> mark;
};

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaStreamCreateWithFlags"); error != cudaSuccess)
    return remember(error);
  *stream = new CUstream_st;
  (*stream)->device = current_device();
  (*stream)->is_blocking = (flags & cudaStreamNonBlocking) == 0;
  devices[current_device()].streams.insert(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (stream == nullptr || !is_alive(stream)) return remember(cudaErrorInvalidResourceHandle);
  drain(*stream);
  devices[stream->device].streams.erase(stream);
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaStreamSynchronize"); error != cudaSuccess)
    return remember(error);
  if (!is_alive(stream)) return remember(cudaErrorInvalidResourceHandle);
  drain(resolve(stream));
  return remember(devices[resolve(stream).device].error);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const std::lock_guard guard(lock());
  run_next(resolve(stream));
  return resolve(stream).work.empty() ? devices[resolve(stream).device].error : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaStreamWaitEvent"); error != cudaSuccess) return remember(error);
  if (event == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (event->mark == nullptr) return cudaSuccess;  // never recorded: nothing to wait for
  return remember(enqueue(stream, [mark = event->mark] { run_until(mark); }));
}

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard guard(lock());
  drain_device(current_device());
  return remember(devices[current_device()].error);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaEventCreateWithFlags"); error != cudaSuccess)
    return remember(error);
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::lock_guard guard(lock());
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaEventRecord"); error != cudaSuccess) return remember(error);
  auto mark = std::make_shared<Mark>();
  mark->stream = &resolve(stream);
  mark->device = mark->stream->device;
  event->mark = mark;
  return remember(enqueue(stream, [mark] {
    mark->is_reached = true;
    mark->time = std::chrono::steady_clock::now();
  }));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard guard(lock());
  if (event->mark == nullptr) return cudaSuccess;
  run_until(event->mark);
  return remember(devices[event->mark->device].error);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard guard(lock());
  if (event->mark == nullptr || event->mark->is_reached) return cudaSuccess;
  run_next(*event->mark->stream);
  return event->mark->is_reached ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  const std::lock_guard guard(lock());
  if (start->mark == nullptr || end->mark == nullptr) return remember(cudaErrorInvalidResourceHandle);
  if (!start->mark->is_reached || !end->mark->is_reached) return cudaErrorNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->mark->time - start->mark->time).count();
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaMemcpyAsync"); error != cudaSuccess) return remember(error);
  return remember(copy(to, from, bytes, kind, resolve(stream)));
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaMemcpy"); error != cudaSuccess) return remember(error);
  CUstream_st& stream = resolve(nullptr);
  const auto error = copy(to, from, bytes, kind, stream);
  drain(stream);
  return remember(error);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (width_bytes > to_pitch || width_bytes > from_pitch) return remember(cudaErrorInvalidValue);
  for (std::size_t row = 0; row < height; ++row) {
    const auto error =
        cudaMemcpyAsync(static_cast<char*>(to) + row * to_pitch,
                        static_cast<const char*>(from) + row * from_pitch, width_bytes, kind, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  const std::lock_guard guard(lock());
  if (const auto error = planned_failure("cudaMemsetAsync"); error != cudaSuccess) return remember(error);
  return remember(fill(pointer, value, bytes, resolve(stream)));
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  return cudaMemsetAsync(pointer, value, bytes, nullptr);
}
