#pragma once

/// \file
/// Buffers passed from block to block, so that each thread's memory is allocated once.

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace widehash {

template <class Buffer>
class BufferPool {
 public:
  /// Returns a used buffer, or null if none is free.
  std::unique_ptr<Buffer> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    auto buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  /// Returns a used buffer, or a new one from make(), which returns a std::unique_ptr.
  template <class Make>
  std::unique_ptr<Buffer> take(const Make& make) {
    auto used = take();
    return used != nullptr ? std::move(used) : make();
  }
  /// Without memory to keep it, the buffer is freed.
  void give(std::unique_ptr<Buffer> buffer) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(buffer));
    } catch (const std::bad_alloc&) {
      buffer.reset();
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> free_;
};

}  // namespace widehash
