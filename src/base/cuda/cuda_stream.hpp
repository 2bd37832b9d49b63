#pragma once

/// \file
/// A queue of work on one device, and marks in that queue. Neither waits for the device as a whole.

#include "cuda_check.hpp"

#include <utility>

namespace widehash::cuda {

/// A mark in a stream. Records no time, which would cost more, unless `flags` ask for it (cudaEventDefault).
class Event {
 public:
  explicit Event(unsigned flags = cudaEventDisableTiming) {
    check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }

  cudaEvent_t get() const noexcept { return event_; }
  /// Blocks the calling thread until the work before the mark is done. Returns at once if the mark was
  /// never set.
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// A stream on the device that is current when the stream is made.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { (void)cudaStreamDestroy(stream_); }

  cudaStream_t get() const noexcept { return stream_; }
  void record(const Event& event) const { check(cudaEventRecord(event.get(), stream_), "cudaEventRecord"); }
  /// Makes later work of this stream wait for the mark; does not block the calling thread.
  void wait_for(const Event& event) const {
    check(cudaStreamWaitEvent(stream_, event.get(), 0), "cudaStreamWaitEvent");
  }
  /// Blocks the calling thread until all work of this stream is done.
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace widehash::cuda
