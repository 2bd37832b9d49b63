#include "host_layout.hpp"

#include <algorithm>
#include <bit>

namespace widehash::detail {
namespace {

/// The number of ranks per host, if each host has the same number of consecutive ranks; otherwise 0.
std::size_t length_of_runs(std::span<const std::size_t> host_of) {
  const auto length =
      static_cast<std::size_t>(std::ranges::count(host_of, host_of.empty() ? 0 : host_of.front()));
  for (std::size_t r = 0; r < host_of.size(); ++r) {
    if (host_of[r] != r / length) return 0;
  }
  return host_of.size() % std::max<std::size_t>(length, 1) == 0 ? length : 0;
}

}  // namespace

HostLayout::HostLayout(std::span<const std::string> hosts) {
  std::vector<std::string> names;
  for (const std::string& host : hosts) {
    const auto found = std::ranges::find(names, host);
    host_of_.push_back(static_cast<std::size_t>(found - names.begin()));
    if (found == names.end()) names.push_back(host);
  }
  const std::size_t length = length_of_runs(host_of_);
  if (length > 1 && length < hosts.size() && std::has_single_bit(length)) ranks_per_host_ = length;
}

}  // namespace widehash::detail
