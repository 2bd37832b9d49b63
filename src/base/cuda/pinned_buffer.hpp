#pragma once

/// \file
/// Host memory that devices copy from and to in parallel with other work. Pinned memory is lost to everything
/// else on the machine: keep buffers small and long-lived.

#include "cuda_check.hpp"
#include "memory_gate.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace widehash::cuda {

template <class T>
class PinnedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t size) {
    if (size > 0 && !take(size)) check(cudaErrorMemoryAllocation, "cudaMallocHost");
  }
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PinnedBuffer() {
    if (data_ == nullptr) return;
    const MemoryGate::Memory guard(MemoryGate::of_process());
    (void)cudaFreeHost(data_);
  }

  T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::span<T> first(std::size_t count) const noexcept { return {data_, count}; }
  T& operator[](std::size_t i) const noexcept { return data_[i]; }

  /// Makes room for at least `size` values. The values held before are lost if the buffer has to grow.
  /// Grows by half if there is memory for it.
  void reserve(std::size_t size) {
    if (size <= size_) return;
    const std::size_t ample = size_ + size_ / 2;
    *this = PinnedBuffer();
    if (ample > size && take(ample)) return;
    *this = PinnedBuffer(size);
  }

 private:
  /// Allocates `size` values for an empty buffer. Returns false, and leaves it empty, if there is no
  /// memory.
  bool take(std::size_t size) {
    void* memory = nullptr;
    const MemoryGate::Memory guard(MemoryGate::of_process());
    const cudaError_t status = cudaMallocHost(&memory, size * sizeof(T));
    if (status == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      return false;
    }
    check(status, "cudaMallocHost");
    data_ = static_cast<T*>(memory);
    size_ = size;
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace widehash::cuda
