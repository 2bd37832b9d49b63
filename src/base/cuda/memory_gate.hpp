#pragma once

/// \file
/// Keeps allocation of memory apart from the start of collectives. A thread that allocates or frees memory of
/// a device, or pinned memory of the host, may wait for the kernels of all devices of the process. A kernel
/// of a collective waits for the kernels of the other ranks, which cannot be started while a thread is inside
/// such a call (NVIDIA/nccl, issues 48, 70 and 744). So within a process memory is allocated only while no
/// rank is starting its part of a collective. Every rank enters, then meets the others, and then starts; so
/// none has left before all have entered.
///
/// Ranks do not block each other, even while a thread waits for memory: a rank that was held up would never
/// come to the meeting. A thread does not wait for memory forever, since a rank that fails while the others
/// start frees its memory before they learn of the failure.
///
/// The first collective takes longest, because NCCL connects the ranks in it: 0.7 s for two H100s
/// (NVIDIA/nccl, issue 1487).

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace widehash::cuda {

class MemoryGate {
 public:
  /// A thread waits for memory for at most `patience`, which should be much longer than starting a collective.
  explicit MemoryGate(std::chrono::milliseconds patience = std::chrono::seconds(30)) : patience_(patience) {}

  static MemoryGate& of_process() {
    static MemoryGate gate;
    return gate;
  }

  /// Marks a rank as starting a collective for the lifetime of this object.
  class Start {
   public:
    explicit Start(MemoryGate& gate) : gate_(gate) {
      std::unique_lock lock(gate_.mutex_);
      gate_.changed_.wait(lock, [&] { return gate_.num_in_memory_ == 0; });
      ++gate_.num_starting_;
    }
    ~Start() { gate_.leave(gate_.num_starting_, true); }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;

   private:
    MemoryGate& gate_;
  };

  /// Marks a thread as allocating or freeing memory for the lifetime of this object.
  class Memory {
   public:
    explicit Memory(MemoryGate& gate) : gate_(gate) {
      std::unique_lock lock(gate_.mutex_);
      const auto is_open = [&] { return gate_.num_starting_ == 0 || gate_.is_given_up_; };
      gate_.is_given_up_ = !gate_.changed_.wait_for(lock, gate_.patience_, is_open) || gate_.is_given_up_;
      ++gate_.num_in_memory_;
    }
    ~Memory() { gate_.leave(gate_.num_in_memory_, false); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

   private:
    MemoryGate& gate_;
  };

 private:
  void leave(std::size_t& count, bool was_starting) {
    const std::lock_guard lock(mutex_);
    if (--count > 0) return;
    if (was_starting) is_given_up_ = false;
    changed_.notify_all();
  }

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t num_starting_ = 0;
  std::size_t num_in_memory_ = 0;
  bool is_given_up_ = false;  // ranks have not finished starting in time
};

}  // namespace widehash::cuda
