#pragma once

/// \file
/// A barrier for the threads of one process. A thread that fails releases the others.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace widehash::detail {

class Rendezvous {
 public:
  /// For `size` threads.
  Rendezvous(std::size_t size, std::chrono::duration<double> timeout);

  /// Returns when all threads have arrived. What each thread did before is visible to all afterwards. Throws
  /// CommError after a failure, or after the timeout, when some thread has neither arrived nor failed and
  /// must be hanging. A thread that receives this exception has failed as well, and must report it by calling
  /// fail().
  void arrive_and_wait();

  /// Releases all waiting threads, now and later, with `reason`. Only the first failure counts; returns true
  /// for it.
  bool fail(const std::string& reason);
  bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Throws CommError if there was a failure.
  void check() const;

 private:
  std::size_t size_;
  std::chrono::duration<double> timeout_;
  bool has_cores_for_all_;
  std::atomic<std::size_t> arrived_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string reason_;
};

}  // namespace widehash::detail
