#pragma once

/// \file
/// Gives things up on a thread of its own. To unmap a window of shards takes tens of milliseconds, and
/// whoever trained on its last row would spend them while the other devices wait.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace widehash {

class ClosingThread {
 public:
  ClosingThread() = default;
  /// Waits until all is closed.
  ~ClosingThread();
  ClosingThread(const ClosingThread&) = delete;
  ClosingThread& operator=(const ClosingThread&) = delete;

  /// Destroys `object`, of which this is the last pointer, later and elsewhere; where there can be no thread,
  /// here and now. Any thread.
  void close(std::shared_ptr<const void> object) noexcept;

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<const void>> waiting_;
  bool is_ended_ = false;
  std::thread thread_;  // from the first object on
};

}  // namespace widehash
