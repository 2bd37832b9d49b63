#include "rendezvous.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <thread>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

// Devices arrive at a collective some hundred microseconds apart. A sleeping thread would be woken late, in a
// step of a millisecond. Most arrive within about ten microseconds: a thread that yields during so short a
// wait may lose its core for milliseconds on a busy machine. After before_yield, yielding leaves the core to
// any thread that needs it. If there are more devices than cores, they yield at once instead of spinning
// against each other.
constexpr std::chrono::microseconds before_yield{100};
constexpr std::chrono::microseconds before_sleep{500};
constexpr int looks_between_times = 16;  // iterations between two readings of the clock

/// Tells the core that this thread is spinning.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

Rendezvous::Rendezvous(std::size_t size, std::chrono::duration<double> timeout)
    : size_(size), timeout_(timeout), has_cores_for_all_(size <= available_threads()) {}

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
  bool spins = has_cores_for_all_;
  for (int i = 1;; ++i) {
    if (is_over()) return;
    if (has_failed()) check();
    if (i % looks_between_times == 0) {
      const auto waited = std::chrono::steady_clock::now() - came;
      if (waited >= before_sleep) break;
      spins = spins && waited < before_yield;
    }
    if (spins) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, timeout_, [&] { return is_over() || has_failed(); })) {
    throw CommError(fmt::format("a device did not reach a collective within {} s", timeout_.count()));
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
