#pragma once

/// \file
/// Tracks how much memory is held, up to a limit. Memory is reserved in the ledger before it is allocated, so
/// the budget is never exceeded. Shared by threads: the sum is exact whichever thread takes memory or gives
/// it back.

#include <atomic>
#include <cstdint>

namespace widehash::detail {

class MemoryLedger {
 public:
  explicit MemoryLedger(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  /// Reserves `bytes` if they fit. Returns whether they did.
  bool take(std::uint64_t bytes) noexcept {
    std::uint64_t held = held_bytes_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit_bytes_ - held) return false;
    } while (!held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept { held_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t held_bytes() const noexcept { return held_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }

 private:
  std::uint64_t limit_bytes_;
  std::atomic<std::uint64_t> held_bytes_ = 0;  // never above limit_bytes_
};

}  // namespace widehash::detail
