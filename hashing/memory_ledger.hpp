#pragma once

/// \file
/// How much memory is held, and the most that may be. Memory is asked of the ledger before it is taken, so a
/// budget is kept, not discovered to be passed. Shared by threads: the sum is exact whoever takes and gives.

#include <atomic>
#include <cstdint>

namespace widehash::detail {

class MemoryLedger {
 public:
  explicit MemoryLedger(std::uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  /// Takes the bytes if they fit.
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
