#pragma once

/// \file
/// Memory of a device. A buffer belongs to the context it was made with. Copies are queued on a stream, and
/// host memory that they read or write must stay valid and untouched until they are done.

#include "memory_gate.hpp"
#include "memory_need.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace widehash::cuda {

template <class T>
class DeviceBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceBuffer() = default;
  /// Leaves the values uninitialized. Throws DeviceError with the arithmetic if they do not fit; the
  /// message names `what`.
  DeviceBuffer(const DeviceContext& context, std::size_t size, const char* what) : device_(context.device()) {
    if (size == 0 || take(context, size)) return;
    MemoryNeed need;
    need.add(what, size, sizeof(T));
    need.require(context);
    check(cudaErrorMemoryAllocation, "cudaMalloc");
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : device_(other.device_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ == nullptr) return;
    (void)cudaSetDevice(device_);
    const MemoryGate::Memory guard(MemoryGate::of_process());
    (void)cudaFree(data_);
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }

  /// Makes room for at least `size` values. The values held before are lost if the buffer has to grow.
  /// Grows by half if there is memory for it, since freeing and allocating memory stops the whole device.
  void reserve(const DeviceContext& context, std::size_t size, const char* what) {
    if (size <= size_) return;
    const std::size_t ample = size_ + size_ / 2;
    *this = DeviceBuffer();
    if (ample > size && take(context, ample)) return;
    *this = DeviceBuffer(context, size, what);
  }

  void clear(const Stream& stream) const {
    if (size_ > 0) check(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream.get()), "cudaMemsetAsync");
  }

 private:
  /// Allocates `size` values for an empty buffer. Returns false, and leaves it empty, if there is no
  /// memory.
  bool take(const DeviceContext& context, std::size_t size) {
    context.make_current();
    void* memory = nullptr;
    const MemoryGate::Memory guard(MemoryGate::of_process());
    const cudaError_t status = cudaMalloc(&memory, size * sizeof(T));
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return false;
    }
    check(status, "cudaMalloc");
    device_ = context.device();
    data_ = static_cast<T*>(memory);
    size_ = size;
    return true;
  }

  int device_ = 0;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Queues the copy. It runs in parallel with the host only from and to pinned memory.
template <class T>
void copy_to_device(std::span<const T> from, T* to, const Stream& stream) {
  if (from.empty()) return;
  check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
        "cudaMemcpyAsync to the device");
}
template <class T>
void copy_to_host(const T* from, std::span<T> to, const Stream& stream) {
  if (to.empty()) return;
  check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
        "cudaMemcpyAsync to the host");
}
template <class T>
void copy_on_device(const T* from, T* to, std::size_t count, const Stream& stream) {
  if (count == 0) return;
  check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream.get()),
        "cudaMemcpyAsync on the device");
}

/// Returns a buffer with the values of `from`; the copy is complete on return.
template <class T>
DeviceBuffer<T> make_device_copy(const DeviceContext& context, std::span<const T> from, const char* what) {
  DeviceBuffer<T> buffer(context, from.size(), what);
  copy_to_device(from, buffer.data(), context.stream());
  context.stream().synchronize();
  return buffer;
}

}  // namespace widehash::cuda
