#pragma once

/// \file
/// Buffers handed round between blocks, so that each thread's memory is taken once.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace widehash {

template <class Buffer>
class BufferPool {
 public:
  /// A used buffer, or null where none is free.
  std::unique_ptr<Buffer> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    auto buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give(std::unique_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> free_;
};

}  // namespace widehash
