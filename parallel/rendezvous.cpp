#include "rendezvous.hpp"

#include <widehash/error.hpp>

#include <thread>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

// Devices come to a meeting some hundred microseconds apart, and one that slept would be woken late, in a step of a
// millisecond. Yielding leaves the core to whoever needs it, so that more devices than cores do not spin against each other.
constexpr std::chrono::microseconds before_sleep{500};
constexpr int yields_between_looks = 16;  // at the clock

}  // namespace

void Rendezvous::arrive_and_wait() {
  check();
  const std::uint64_t round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    {
      const std::lock_guard lock(mutex_);
      round_.store(round + 1, std::memory_order_release);
    }
    changed_.notify_all();
    return;
  }
  const auto is_over = [&] { return round_.load(std::memory_order_acquire) != round; };
  const auto came = std::chrono::steady_clock::now();
  for (int i = 1; i % yields_between_looks != 0 || std::chrono::steady_clock::now() - came < before_sleep;
       ++i) {
    if (is_over()) return;
    if (has_failed()) check();
    std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, timeout_, [&] { return is_over() || has_failed(); })) {
    lock.unlock();
    fail(fmt::format("a device has not come to a collective within {} s", timeout_.count()));
    check();
  }
  if (is_over()) return;
  lock.unlock();
  check();
}

bool Rendezvous::fail(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return false;
    reason_ = reason;
    failed_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
  return true;
}

void Rendezvous::check() const {
  if (!has_failed()) return;
  const std::lock_guard lock(mutex_);
  throw CommError(reason_);
}

}  // namespace widehash::detail
