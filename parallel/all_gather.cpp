#include "all_gather.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace widehash::detail {
namespace {

void copy_to(std::span<std::byte> place, Bytes part) {
  if (!part.empty() && part.data() != place.data()) std::memcpy(place.data(), part.data(), part.size());
}

void gather_flat(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                 std::span<std::byte> whole) {
  const auto size = static_cast<std::size_t>(transport.size());
  const std::vector<Bytes> to(size, own);
  std::vector<Bytes> from(size);
  std::vector<std::size_t> expected(size);
  for (std::size_t r = 0; r < size; ++r) expected[r] = offsets[r + 1] - offsets[r];
  transport.exchange(to, expected, from);
  for (std::size_t r = 0; r < size; ++r) copy_to(whole.subspan(offsets[r], expected[r]), from[r]);
}

void gather_by_hosts(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                     std::span<std::byte> whole, HostCopies& copies) {
  const HostLayout& hosts = transport.hosts();
  const auto rank = static_cast<std::size_t>(transport.rank());
  const std::size_t first = hosts.rank_at(hosts.host_of(rank), 0);
  const auto part = [&](std::size_t r) { return whole.subspan(offsets[r], offsets[r + 1] - offsets[r]); };
  std::vector<Bytes> to(offsets.size() - 1);
  std::vector<Bytes> from(to.size());
  std::vector<std::size_t> expected(to.size());
  for (std::size_t host = 0; host < hosts.num_hosts(); ++host) {
    const std::size_t owner = hosts.rank_at(host, hosts.place_of(rank));
    to[owner] = own;
    expected[owner] = part(owner).size();
  }
  transport.exchange(to, expected, from);

  // Large enough for the parts of the place that has the most.
  const std::span<std::byte> room = copies.for_neighbours<std::byte>(whole.size());
  auto end = room.begin();
  for (std::size_t host = 0; host < hosts.num_hosts(); ++host) {
    const std::size_t owner = hosts.rank_at(host, hosts.place_of(rank));
    copy_to(part(owner), from[owner]);
    end = std::ranges::copy(part(owner), end).out;
  }
  to.assign(to.size(), {});
  expected.assign(expected.size(), 0);
  for (std::size_t place = 0; place < hosts.ranks_per_host(); ++place) {
    to[first + place] = Bytes(room.begin(), end);
    for (std::size_t host = 0; host < hosts.num_hosts(); ++host)
      expected[first + place] += part(hosts.rank_at(host, place)).size();
  }
  transport.exchange(to, expected, from);
  for (std::size_t place = 0; place < hosts.ranks_per_host(); ++place) {
    if (first + place == rank) continue;
    Bytes rest = from[first + place];
    for (std::size_t host = 0; host < hosts.num_hosts(); ++host) {
      const std::span<std::byte> to_part = part(hosts.rank_at(host, place));
      copy_to(to_part, rest.first(to_part.size()));
      rest = rest.subspan(to_part.size());
    }
  }
}

}  // namespace

void all_gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                std::span<std::byte> whole, HostCopies& copies) {
  if (goes_by_hosts(transport.hosts(), whole.size()))
    return gather_by_hosts(transport, own, offsets, whole, copies);
  gather_flat(transport, own, offsets, whole);
}

}  // namespace widehash::detail
