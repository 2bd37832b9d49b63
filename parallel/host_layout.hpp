#pragma once

/// \file
/// Which ranks share a host. All ranks of a host share its slow path to other hosts, so collectives of many
/// numbers send them over it once per host, not once per rank.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

class HostLayout {
 public:
  /// All ranks on one host, however many there are.
  HostLayout() = default;
  /// hosts[r] is the name of the host of rank r.
  explicit HostLayout(std::span<const std::string> hosts);

  /// Whether two ranks share a host.
  bool are_neighbours(std::size_t a, std::size_t b) const noexcept {
    return host_of_.empty() || host_of_[a] == host_of_[b];
  }

  /// Whether collectives can go host by host. This requires several hosts, each with the same number of
  /// consecutive ranks, and that number must be a power of 2 above 1, so that a host's sum is a term of
  /// pairwise_sum.hpp. The members below are for such layouts only.
  bool is_even() const noexcept { return ranks_per_host_ > 1; }
  std::size_t num_hosts() const noexcept { return host_of_.size() / ranks_per_host_; }
  std::size_t ranks_per_host() const noexcept { return ranks_per_host_; }
  /// Ranks with the same place on their hosts combine the data of the hosts.
  std::size_t host_of(std::size_t rank) const noexcept { return rank / ranks_per_host_; }
  std::size_t place_of(std::size_t rank) const noexcept { return rank % ranks_per_host_; }
  std::size_t rank_at(std::size_t host, std::size_t place) const noexcept {
    return host * ranks_per_host_ + place;
  }

 private:
  std::vector<std::size_t> host_of_;  // host of each rank, numbered as they first appear; empty: one host
  std::size_t ranks_per_host_ = 0;    // 0: not even
};

}  // namespace widehash::detail
