#pragma once

/// \file
/// Counts the work of many threads and reports it to one callback from time to time.

#include <widehash/progress.hpp>

#include <chrono>
#include <mutex>

namespace widehash::detail {

class ProgressMeter {
 public:
  ProgressMeter(const ProgressCallback& callback, std::uint64_t bytes_total) : callback_(callback) {
    done_.bytes_total = bytes_total;
  }

  /// Adds to the work done. Calls back a few times a second, and always at the end. Passes on exceptions of
  /// the callback.
  void add(std::uint64_t rows, std::uint64_t bytes) {
    if (!callback_) return;
    const std::lock_guard lock(mutex_);
    done_.rows += rows;
    done_.bytes_done += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_call_ < interval && done_.bytes_done < done_.bytes_total) return;
    last_call_ = now;
    callback_(done_);
  }

 private:
  static constexpr auto interval = std::chrono::milliseconds(250);

  const ProgressCallback& callback_;
  std::mutex mutex_;
  Progress done_;
  std::chrono::steady_clock::time_point last_call_ = std::chrono::steady_clock::now();
};

}  // namespace widehash::detail
