#pragma once

/// \file
/// The ranks of one process and how they reach all others: ranks of this process through memory, ranks of
/// other processes through the link. Rank numbers follow the order of the processes. The first rank of a
/// process communicates with other processes on behalf of all its ranks, so only one thread at a time uses
/// the link.

#include "process_link.hpp"
#include "rendezvous.hpp"
#include "transport.hpp"

#include <widehash/device.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace widehash::detail {

class RankGroup {
 public:
  /// `link` may be null: the world is then this process. With a link, every process must make its group at
  /// the same time, of devices of the same kind; otherwise each throws ConfigError.
  RankGroup(std::size_t num_local, ProcessLink* link, double timeout_seconds,
            DeviceKind kind = DeviceKind::cpu);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  std::size_t num_local() const noexcept { return num_local_; }
  int world_size() const noexcept { return first_ranks_.back(); }
  int first_rank() const noexcept { return first_ranks_[process_]; }
  const HostLayout& hosts() const noexcept { return hosts_; }

  /// Releases all other ranks with the rank and the reason. Only the first failure counts; returns true for
  /// it.
  bool fail(int rank, const std::string& reason);

  /// Calls `listener` once, on any thread, when a rank has failed; immediately if one already has. There is
  /// one listener per local rank. An empty one removes it; afterwards no call of it is running.
  void when_failed(std::size_t local, std::function<void()> listener);
  /// The exception that the other ranks of a failed group receive. Requires that the group failed.
  std::exception_ptr failure() const;

  /// The rank's transport. There is one per local rank, each used by one thread at a time.
  std::unique_ptr<Transport> make_transport(std::size_t local, ActivityClock& clock);

 private:
  friend class GroupTransport;

  /// What a rank shows and expects in one step.
  struct Post {
    std::vector<Bytes> to;
    std::vector<std::size_t> expected;
    std::vector<std::vector<std::byte>> received;  // from each rank of other processes
  };
  bool is_local(std::size_t rank) const noexcept;
  bool let_all_go(const std::string& reason);
  void exchange_with_processes(std::size_t turn);

  std::size_t num_local_;
  ProcessLink* link_;
  double timeout_seconds_;
  std::size_t process_ = 0;
  std::vector<int> first_ranks_{0};      // first rank of each process, and finally the world size
  std::vector<std::size_t> process_of_;  // process of each rank
  HostLayout hosts_;
  Rendezvous rendezvous_;
  std::atomic<std::size_t> num_looking_{0};  // ranks that may be reading what others show
  std::mutex listeners_mutex_;
  std::vector<std::function<void()>> listeners_;
  // Two turns, because a rank may show the next step's bytes while a slower one still reads this step's. A
  // rank cannot get two steps ahead.
  std::array<std::vector<Post>, 2> posts_;
};

}  // namespace widehash::detail
