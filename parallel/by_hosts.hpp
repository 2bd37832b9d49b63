#pragma once

/// \file
/// Shared by the collectives that can go host by host: when they do so, and the memory that they show.

#include "host_layout.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace widehash::detail {

/// Size of the whole array, in bytes, from which on collectives go host by host. This takes one more
/// exchange, some 10 us among the threads of a host, and with two ranks per host it saves at least as many
/// bytes as the array has. A wire carries 31 KB in that time at 25 Gbit/s and 125 KB at 100 Gbit/s; the limit
/// lies between the two.
inline constexpr std::size_t by_hosts_bytes = std::size_t{1} << 16;

inline bool goes_by_hosts(const HostLayout& hosts, std::size_t num_bytes) noexcept {
  return hosts.is_even() && num_bytes >= by_hosts_bytes;
}

/// Memory kept from one collective to the next, because allocating it takes longer than filling it.
class HostCopies {
 public:
  /// `count` numbers to fill and show to ranks of this host.
  template <class T>
  std::span<T> for_neighbours(std::size_t count) {
    return numbers<T>(for_neighbours_, count);
  }
  /// `count` numbers to fill and show to ranks of other hosts.
  template <class T>
  std::span<T> for_hosts(std::size_t count) {
    return numbers<T>(for_hosts_, count);
  }

 private:
  template <class T>
  static std::span<T> numbers(std::vector<std::byte>& memory, std::size_t count) {
    if (memory.size() < count * sizeof(T)) memory.resize(count * sizeof(T));
    return {reinterpret_cast<T*>(memory.data()), count};
  }

  std::vector<std::byte> for_neighbours_;
  std::vector<std::byte> for_hosts_;
};

}  // namespace widehash::detail
