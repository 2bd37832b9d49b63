#pragma once

/// \file
/// Where the threads of one process wait for each other, and how one that fails lets the others go.

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

  /// Returns when all have come. What each did before is seen by all afterwards. Throws CommError after a
  /// failure, and after the timeout: a thread that is neither here nor failed hangs. Whoever is thrown that
  /// has failed, and is to say so by fail().
  void arrive_and_wait();

  /// Releases all who wait, now and later, with `reason`. Only the first failure counts; true for that one.
  bool fail(const std::string& reason);
  bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Throws CommError where there was a failure.
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
