#pragma once

/// \file
/// One device as one rank uses it: its streams and its cuBLAS handle. Virtual devices on one GPU have a
/// context each, so that they share nothing but the memory of the GPU.

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
  /// Throws DeviceError if there is no such device or it cannot be used.
  explicit DeviceContext(int device);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  int device() const noexcept { return device_; }
  /// "cuda:0"
  const std::string& name() const noexcept { return name_; }
  int num_multiprocessors() const noexcept { return num_multiprocessors_; }
  /// Most shared memory that a block may request.
  std::size_t max_shared_bytes() const noexcept { return max_shared_bytes_; }

  /// CUDA's current device belongs to the thread, and a rank's steps may run on several threads: call this
  /// before any CUDA call. Costs nothing if the device is already current.
  void make_current() const { set_device(device_); }

  /// The stream for the work of a step.
  const Stream& stream() const noexcept { return stream_; }
  /// The stream that copies rows to the device in parallel with stream().
  const Stream& copy_stream() const noexcept { return copy_stream_; }
  /// Handle on stream(). Computes in full float32, without TF32. Created by the first call, which loads
  /// cuBLAS; not for several threads at a time.
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
