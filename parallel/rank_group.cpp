#include "rank_group.hpp"

#include <widehash/device.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

// A message's tag encodes the sending rank within its process and the receiving rank within its own.
constexpr int tag_base = static_cast<int>(max_devices);

/// The ranks of a process, as it describes them to the others.
struct Crew {
  std::uint64_t num_ranks = 0;
  DeviceKind kind = DeviceKind::cpu;
  std::array<char, 256> host{};  // zero-terminated identity of its host
};

const char* name_of(DeviceKind kind) { return kind == DeviceKind::cpu ? "processors" : "GPUs"; }

/// Exchanges the crews of all processes.
std::vector<Crew> crews_of(std::size_t num_local, ProcessLink* link, double timeout_seconds,
                           DeviceKind kind) {
  Crew own{num_local, kind, {}};
  if (link == nullptr) return {own};
  link->host().copy(own.host.data(), own.host.size() - 1);
  std::vector<Crew> crews(static_cast<std::size_t>(link->num_processes()), own);
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (int p = 0; p < link->num_processes(); ++p) {
    if (p == link->process()) continue;
    outgoing.push_back({p, 0, std::as_bytes(std::span(&own, 1))});
    incoming.push_back({p, 0, std::as_writable_bytes(std::span(&crews[static_cast<std::size_t>(p)], 1))});
  }
  link->exchange(
      outgoing, incoming, [link] { link->check(); }, timeout_seconds);
  for (const Crew& crew : crews) {
    if (crew.kind == crews.front().kind) continue;
    throw ConfigError(
        fmt::format("process {} has {}, but process 0 has {}: the devices of a team must be all processors "
                    "or all GPUs, in every process",
                    &crew - crews.data(), name_of(crew.kind), name_of(crews.front().kind)));
  }
  return crews;
}

}  // namespace

/// One rank's transport in the group.
class GroupTransport final : public Transport {
 public:
  GroupTransport(RankGroup& group, std::size_t local, ActivityClock& clock)
      : group_(group), local_(local), clock_(clock) {}

  int rank() const noexcept override { return group_.first_rank() + static_cast<int>(local_); }
  int size() const noexcept override { return group_.world_size(); }
  const HostLayout& hosts() const noexcept override { return group_.hosts(); }
  ActivityClock& clock() noexcept override { return clock_; }
  std::uint64_t bytes_sent() const noexcept override { return bytes_sent_; }
  std::uint64_t bytes_sent_to_other_hosts() const noexcept override { return bytes_sent_to_other_hosts_; }

  void exchange(std::span<const Bytes> to, std::span<const std::size_t> expected,
                std::span<Bytes> from) override {
    or_wait_for_others([&] {
      look_away();
      const std::size_t turn = step_++ % 2;
      post(to, expected, turn);
      // A rank declares that it reads before it meets the others, so that a rank that fails there waits for
      // it.
      if (group_.link_ != nullptr) {
        meet();
        if (local_ == 0) {
          look();
          group_.rendezvous_.check();
          group_.exchange_with_processes(turn);
        }
      }
      look();
      meet();
      take(turn, expected, from);
    });
  }

  void finish() override {
    or_wait_for_others([&] {
      look_away();
      meet();
    });
  }

  void look_away() noexcept override {
    if (looks_) --group_.num_looking_;
    looks_ = false;
  }

 private:
  void post(std::span<const Bytes> to, std::span<const std::size_t> expected, std::size_t turn) {
    const auto own = static_cast<std::size_t>(rank());
    auto& shown = group_.posts_[turn][local_];
    shown.to.assign(to.begin(), to.end());
    shown.expected.assign(expected.begin(), expected.end());
    for (std::size_t r = 0; r < to.size(); ++r) {
      bytes_sent_ += r == own ? 0 : to[r].size();
      bytes_sent_to_other_hosts_ += hosts().are_neighbours(own, r) ? 0 : to[r].size();
    }
  }

  /// Sets `from` to what the others have shown.
  void take(std::size_t turn, std::span<const std::size_t> expected, std::span<Bytes> from) const {
    const auto& posts = group_.posts_[turn];
    const auto own = static_cast<std::size_t>(rank());
    const auto first = static_cast<std::size_t>(group_.first_rank());
    for (std::size_t r = 0; r < from.size(); ++r) {
      const bool is_local = group_.is_local(r);
      from[r] = is_local ? posts[r - first].to[own] : Bytes(posts[local_].received[r]);
      if (from[r].size() != expected[r]) {
        throw CommError(
            fmt::format("rank {} sent {} bytes, but rank {} expected {}: the ranks are out of step", r,
                        from[r].size(), own, expected[r]));
      }
    }
  }

  void look() noexcept {
    if (!looks_) ++group_.num_looking_;
    looks_ = true;
  }

  void meet() {
    const ActivityScope scope(clock_, Activity::wait);
    group_.rendezvous_.arrive_and_wait();
  }

  /// Runs `step`. If it throws, releases the other ranks and waits for the ranks of this process that may
  /// still be reading what this rank shows, because its memory is freed as the exception passes.
  template <class Step>
  void or_wait_for_others(const Step& step) {
    try {
      step();
    } catch (const std::exception& error) {
      look_away();
      group_.fail(rank(), error.what());
      while (group_.num_looking_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      throw;
    }
  }

  RankGroup& group_;
  std::size_t local_;
  ActivityClock& clock_;
  std::size_t step_ = 0;
  bool looks_ = false;
  std::uint64_t bytes_sent_ = 0;
  std::uint64_t bytes_sent_to_other_hosts_ = 0;
};

RankGroup::RankGroup(std::size_t num_local, ProcessLink* link, double timeout_seconds, DeviceKind kind)
    : num_local_(num_local),
      link_(link),
      timeout_seconds_(timeout_seconds),
      process_(link == nullptr ? 0 : static_cast<std::size_t>(link->process())),
      rendezvous_(num_local, std::chrono::duration<double>(timeout_seconds)) {
  std::vector<std::string> hosts;
  for (const Crew& crew : crews_of(num_local, link, timeout_seconds, kind)) {
    process_of_.insert(process_of_.end(), crew.num_ranks, first_ranks_.size() - 1);
    hosts.insert(hosts.end(), crew.num_ranks, crew.host.data());
    first_ranks_.push_back(first_ranks_.back() + static_cast<int>(crew.num_ranks));
  }
  hosts_ = HostLayout(hosts);
  for (auto& posts : posts_) posts.resize(num_local);
  listeners_.resize(num_local);
  if (link_ == nullptr) return;
  link_->listen([this](int process, const std::string& reason) {
    // The reason from a process that gave up names the failed rank; a process that died names none.
    const auto p = static_cast<std::size_t>(process);
    const int first = first_ranks_[p];
    const int last = first_ranks_[p + 1] - 1;
    const bool speaks = reason.starts_with("rank ");
    let_all_go(speaks          ? reason
               : first == last ? fmt::format("rank {} {}", first, reason)
                               : fmt::format("the process of ranks {} to {} {}", first, last, reason));
  });
}

RankGroup::~RankGroup() {
  if (link_ != nullptr) link_->listen({});
}

bool RankGroup::is_local(std::size_t rank) const noexcept { return process_of_[rank] == process_; }

bool RankGroup::fail(int rank, const std::string& reason) {
  const std::string text = fmt::format("rank {} failed: {}", rank, reason);
  const bool is_first = let_all_go(text);
  if (is_first && link_ != nullptr) link_->announce_failure(text);
  return is_first;
}

bool RankGroup::let_all_go(const std::string& reason) {
  const bool is_first = rendezvous_.fail(reason);
  // Not only for the first failure: a listener that was set after it is called at the next one.
  const std::lock_guard lock(listeners_mutex_);
  for (auto& listener : listeners_) {
    if (listener) std::exchange(listener, {})();
  }
  return is_first;
}

void RankGroup::when_failed(std::size_t local, std::function<void()> listener) {
  const std::lock_guard lock(listeners_mutex_);
  listeners_[local] = std::move(listener);
  if (listeners_[local] && rendezvous_.has_failed()) std::exchange(listeners_[local], {})();
}

std::exception_ptr RankGroup::failure() const {
  try {
    rendezvous_.check();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

std::unique_ptr<Transport> RankGroup::make_transport(std::size_t local, ActivityClock& clock) {
  return std::make_unique<GroupTransport>(*this, local, clock);
}

void RankGroup::exchange_with_processes(std::size_t turn) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (std::size_t local = 0; local < num_local_; ++local) {
    Post& post = posts_[turn][local];
    post.received.resize(process_of_.size());
    for (std::size_t rank = 0; rank < process_of_.size(); ++rank) {
      if (is_local(rank)) continue;
      const auto process = static_cast<int>(process_of_[rank]);
      const int other = static_cast<int>(rank) - first_ranks_[process_of_[rank]];
      const int here = static_cast<int>(local);
      post.received[rank].resize(post.expected[rank]);
      if (!post.to[rank].empty()) outgoing.push_back({process, here * tag_base + other, post.to[rank]});
      if (post.expected[rank] > 0)
        incoming.push_back({process, other * tag_base + here, post.received[rank]});
    }
  }
  if (outgoing.empty() && incoming.empty()) return;
  link_->exchange(
      outgoing, incoming, [this] { rendezvous_.check(); }, timeout_seconds_);
}

}  // namespace widehash::detail
