#pragma once

/// \file
/// Releases objects on a thread of its own. Unmapping a window of shards takes tens of milliseconds, which
/// the device that trained on its last row would otherwise spend while the other devices wait.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace widehash {

class ClosingThread {
 public:
  ClosingThread() = default;
  /// Waits until everything is closed.
  ~ClosingThread();
  ClosingThread(const ClosingThread&) = delete;
  ClosingThread& operator=(const ClosingThread&) = delete;

  /// Destroys `object`, of which this must be the last pointer, later on the closing thread, or immediately
  /// where no thread can be started. May be called from any thread.
  void close(std::shared_ptr<const void> object) noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<const void>> waiting_;
  bool is_ended_ = false;
  std::thread thread_;  // started by the first object
};

}  // namespace widehash
