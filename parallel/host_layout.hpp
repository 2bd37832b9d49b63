#pragma once

/// \file
/// Which ranks are on one host. What goes from host to host takes the slow way, all ranks of a host at once,
/// so collectives of many numbers go through it once a host and not once a rank.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

class HostLayout {
 public:
  /// All on one host, however many.
  HostLayout() = default;
  /// hosts[r]: the name of the host of rank r.
  explicit HostLayout(std::span<const std::string> hosts);

  /// Whether two ranks share a host.
  bool are_neighbours(std::size_t a, std::size_t b) const noexcept {
    return host_of_.empty() || host_of_[a] == host_of_[b];
  }

  /// Whether collectives can go host by host: several hosts, each with the same number of ranks, which follow
  /// one another and are a power of 2 above 1, so that a host's sum is a term of pairwise_sum.hpp. What
  /// stands below is for such layouts.
  bool is_even() const noexcept { return ranks_per_host_ > 1; }
  std::size_t num_hosts() const noexcept { return host_of_.size() / ranks_per_host_; }
  std::size_t ranks_per_host() const noexcept { return ranks_per_host_; }
  /// Ranks of the same place of their hosts bring together what the hosts have.
  std::size_t host_of(std::size_t rank) const noexcept { return rank / ranks_per_host_; }
  std::size_t place_of(std::size_t rank) const noexcept { return rank % ranks_per_host_; }
  std::size_t rank_at(std::size_t host, std::size_t place) const noexcept {
    return host * ranks_per_host_ + place;
  }

 private:
  std::vector<std::size_t> host_of_;  // of each rank, counted as they first appear; empty: one host
  std::size_t ranks_per_host_ = 0;    // 0: not even
};

}  // namespace widehash::detail
