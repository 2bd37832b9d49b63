#include "reduce_scatter.hpp"

#include "pairwise_sum.hpp"

#include <algorithm>
#include <vector>

namespace widehash::detail {
namespace {

template <class Real>
void reduce_flat(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                 std::span<Real> own) {
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  const std::vector<std::size_t> expected(size, own.size_bytes());
  for (std::size_t r = 0; r < size; ++r)
    to[r] = std::as_bytes(values.subspan(offsets[r], offsets[r + 1] - offsets[r]));
  transport.exchange(to, expected, from);
  pairwise_sum<Real>(from, own);
}

/// Sums over this host what the ranks of this rank's place own, with their parts stored one after another.
template <class Real>
std::span<const Real> reduce_on_host(Transport& transport, std::span<const Real> values,
                                     std::span<const std::size_t> offsets, HostCopies& copies) {
  const HostLayout& hosts = transport.hosts();
  const auto rank = static_cast<std::size_t>(transport.rank());
  const std::size_t first = hosts.rank_at(hosts.host_of(rank), 0);
  std::vector<Bytes> to(offsets.size() - 1);
  std::vector<Bytes> from(to.size());
  const std::span<Real> shown = copies.for_neighbours<Real>(values.size());
  auto end = shown.begin();
  for (std::size_t place = 0; place < hosts.ranks_per_host(); ++place) {
    const auto begin = end;
    for (std::size_t host = 0; host < hosts.num_hosts(); ++host) {
      const std::size_t owner = hosts.rank_at(host, place);
      end = std::ranges::copy(values.subspan(offsets[owner], offsets[owner + 1] - offsets[owner]), end).out;
    }
    to[first + place] = std::as_bytes(std::span(begin, end));
  }
  std::vector<std::size_t> expected(to.size());
  std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first), hosts.ranks_per_host(), to[rank].size());
  transport.exchange(to, expected, from);
  const std::span<Real> sums = copies.for_hosts<Real>(to[rank].size() / sizeof(Real));
  pairwise_sum<Real>(std::span(from).subspan(first, hosts.ranks_per_host()), sums);
  return sums;
}

template <class Real>
void reduce_by_hosts(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                     std::span<Real> own, HostCopies& copies) {
  std::span<const Real> sums = reduce_on_host(transport, values, offsets, copies);
  const HostLayout& hosts = transport.hosts();
  const std::size_t place = hosts.place_of(static_cast<std::size_t>(transport.rank()));
  std::vector<Bytes> to(offsets.size() - 1);
  std::vector<Bytes> from(to.size());
  std::vector<std::size_t> expected(to.size());
  for (std::size_t host = 0; host < hosts.num_hosts(); ++host) {
    const std::size_t owner = hosts.rank_at(host, place);
    const std::size_t count = offsets[owner + 1] - offsets[owner];
    to[owner] = std::as_bytes(sums.first(count));
    expected[owner] = own.size_bytes();
    sums = sums.subspan(count);
  }
  transport.exchange(to, expected, from);
  std::vector<Bytes> of_hosts;
  for (std::size_t host = 0; host < hosts.num_hosts(); ++host)
    of_hosts.push_back(from[hosts.rank_at(host, place)]);
  pairwise_sum<Real>(of_hosts, own);
}

}  // namespace

template <class Real>
void reduce_scatter(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                    std::span<Real> own, HostCopies& copies) {
  if (goes_by_hosts(transport.hosts(), values.size_bytes()))
    return reduce_by_hosts(transport, values, offsets, own, copies);
  reduce_flat(transport, values, offsets, own);
}

template void reduce_scatter<float>(Transport&, std::span<const float>, std::span<const std::size_t>,
                                    std::span<float>, HostCopies&);
template void reduce_scatter<double>(Transport&, std::span<const double>, std::span<const std::size_t>,
                                     std::span<double>, HostCopies&);

}  // namespace widehash::detail
