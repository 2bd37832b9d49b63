#pragma once

/// \file
/// One device as one rank uses it: its streams and its cuBLAS handle. Virtual devices on one GPU have a
/// context each, so that nothing but the memory of the GPU is shared between them.

#include "cuda_stream.hpp"

#include <cstddef>
#include <string>

namespace widehash::cuda {

struct DeviceMemory {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};

class DeviceContext {
 public:
  /// Throws DeviceError where there is no such device or it cannot be used.
  explicit DeviceContext(int device);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  int device() const noexcept { return device_; }
  /// "cuda:0"
  const std::string& name() const noexcept { return name_; }
  int num_multiprocessors() const noexcept { return num_multiprocessors_; }
  /// What a block may ask for at most.
  std::size_t max_shared_bytes() const noexcept { return max_shared_bytes_; }

  /// CUDA's current device belongs to the thread, and a rank's steps may run on several: whoever calls CUDA
  /// does this first. Costs nothing where it is current already.
  void make_current() const { set_device(device_); }

  /// Where the work of a step is queued.
  const Stream& stream() const noexcept { return stream_; }
  /// Where rows travel to the device beside it.
  const Stream& copy_stream() const noexcept { return copy_stream_; }
  /// On stream(). Computes in full float32: no TF32. Made at the first call, which loads cuBLAS; one thread
  /// at a time.
  cublasHandle_t blas() const;

  DeviceMemory memory() const;

 private:
  /// The streams below belong to the device that is current when they are made.
  struct Selected {
    explicit Selected(int device) { set_device(device); }
  };

  int device_;
  Selected selected_;
  std::string name_;
  int num_multiprocessors_ = 0;
  std::size_t max_shared_bytes_ = 0;
  Stream stream_;
  Stream copy_stream_;
  mutable cublasHandle_t blas_ = nullptr;
};

}  // namespace widehash::cuda
