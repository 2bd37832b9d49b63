#pragma once

/// \file
/// Messages between the GPUs of a team through an NCCL communicator, and the precautions that it needs.

#include "collective_times.hpp"
#include "cuda/device_buffer.hpp"
#include "cuda/memory_gate.hpp"
#include "host_layout.hpp"
#include "nccl_link.hpp"

#include <widehash/communicator.hpp>
#include <widehash/error.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include <nccl.h>

namespace widehash::detail {

class NcclChannel {
 public:
  /// Collective over `control`, which must outlive the channel. `share_process`: whether any process has
  /// several ranks. Throws CommError.
  NcclChannel(Communicator& control, const HostLayout& hosts, const cuda::DeviceContext& context,
              bool share_process, TellOthers tell_others);
  ~NcclChannel();
  NcclChannel(const NcclChannel&) = delete;
  NcclChannel& operator=(const NcclChannel&) = delete;

  std::size_t num_ranks() const noexcept { return static_cast<std::size_t>(control_.size()); }
  std::size_t rank() const noexcept { return static_cast<std::size_t>(control_.rank()); }
  std::uint64_t bytes_sent() const noexcept { return bytes_sent_; }
  /// The part of bytes_sent() that went to ranks of other hosts.
  std::uint64_t bytes_sent_to_other_hosts() const noexcept { return bytes_sent_to_other_hosts_; }
  std::vector<CollectiveSpan> spans() const { return times_.spans(); }

  /// Calls `work`, which queues a collective on the context's stream, with memory for `room` received
  /// numbers. NCCL waits on the device indefinitely for ranks that do not come, so the ranks first meet on
  /// the host, where a failed rank is noticed. Allocating memory waits for the device too. The memory for
  /// this collective is therefore allocated before any rank starts, while cut_off() can still enter. For
  /// other allocations there is a gate, which all ranks must have entered before any of them starts.
  template <class Work>
  void queue(const cuda::DeviceContext& context, std::size_t room, const Work& work) {
    queue_unless_cut_off(context, room, work);
    // A cut_off() during the call leaves the abort to this rank.
    if (is_cut_off_) cut_off();
  }

  /// Call on any thread when another rank has failed. What is queued waits for that rank on the device
  /// indefinitely, as would anything that waits for the device. It ends now, with unspecified results.
  void cut_off() noexcept;
  bool is_cut_off() const noexcept { return is_cut_off_; }

  // Only within queue().

  /// Memory for what other ranks send, of the size requested from queue(). Its contents do not last from one
  /// collective to the next.
  float* received() const noexcept { return received_.data(); }

  /// Calls `work` and sends all its messages as one group.
  template <class Work>
  void together(const Work& work) {
    begin_group();
    try {
      work();
    } catch (...) {
      drop_group();
      throw;
    }
    end_group();
  }
  void send(DeviceSpan<const float> values, std::size_t to);
  void receive(DeviceSpan<float> values, std::size_t from);
  /// ncclAllReduce, in place.
  void reduce_in_any_order(DeviceSpan<float> values);

 private:
  /// Held by one thread, or by the caller of cut_off(), which may not wait and must not fail to enter when
  /// nobody is inside. A semaphore's try_acquire() may fail spuriously, so it is not used.
  struct InUse {
    explicit InUse(std::atomic<bool>& channel) : is_in_use(channel) {
      while (is_in_use.exchange(true)) std::this_thread::yield();
    }
    ~InUse() { is_in_use = false; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;
    std::atomic<bool>& is_in_use;
  };

  template <class Work>
  void queue_unless_cut_off(const cuda::DeviceContext& context, std::size_t room, const Work& work) {
    make_ready(context, room);
    const InUse in_use(is_in_use_);
    require_usable();
    try {
      require_no_failure();
      const std::uint64_t sent_before = bytes_sent_;
      control_.barrier();
      const cuda::MemoryGate::Start start(cuda::MemoryGate::of_process());
      control_.barrier();
      work();
      times_.end(context.stream(), bytes_sent_ - sent_before);
    } catch (const std::exception& error) {
      fail(context, error);
    }
  }
  void make_ready(const cuda::DeviceContext& context, std::size_t room);
  [[noreturn]] void fail(const cuda::DeviceContext& context, const std::exception& error);
  void require(ncclResult_t result, const char* call) const;
  void require_usable() const;
  void require_no_failure() const;
  void begin_group() const;
  void end_group();
  void drop_group() const noexcept;
  void meet_started();
  void give_up(const cuda::DeviceContext& context) noexcept;
  void abort() noexcept;

  Communicator& control_;
  const HostLayout& hosts_;
  bool share_process_;
  TellOthers tell_others_;
  int device_;
  std::atomic<bool> is_in_use_ =
      false;  // guards nccl_; not a mutex, because a rank that fails in a call may cut itself off
  ncclComm_t nccl_ = nullptr;
  std::atomic<bool> is_cut_off_ = false;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_sent_to_other_hosts_ = 0;
  CollectiveTimes times_;
  cuda::DeviceBuffer<float> received_;
};

}  // namespace widehash::detail
