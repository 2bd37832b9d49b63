#include "all_reduce.hpp"

#include "all_gather.hpp"
#include "pairwise_sum.hpp"
#include "reduce_scatter.hpp"

#include <widehash/communicator.hpp>

namespace widehash::detail {
namespace {

template <class Real>
void reduce_small(Transport& transport, std::span<Real> values, ReduceCopies& copies) {
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<std::byte>& shown = copies.small[copies.turn++ % 2];
  const Bytes own = std::as_bytes(values);
  shown.assign(own.begin(), own.end());
  const std::vector<Bytes> to(size, Bytes(shown));
  const std::vector<std::size_t> expected(size, shown.size());
  std::vector<Bytes> from(size);
  transport.exchange(to, expected, from);
  pairwise_sum<Real>(from, values);
  transport.look_away();
}

template <class Real>
void reduce_large(Transport& transport, std::span<Real> values, HostCopies& copies) {
  std::vector<std::size_t> offsets = even_offsets(values.size(), static_cast<std::size_t>(transport.size()));
  const auto rank = static_cast<std::size_t>(transport.rank());
  const auto own = values.subspan(offsets[rank], offsets[rank + 1] - offsets[rank]);
  reduce_scatter<Real>(transport, values, offsets, own, copies);
  for (std::size_t& offset : offsets) offset *= sizeof(Real);
  all_gather(transport, std::as_bytes(own), offsets, std::as_writable_bytes(values), copies);
  transport.finish();
}

}  // namespace

template <class Real>
void all_reduce(Transport& transport, std::span<Real> values, ReduceCopies& copies) {
  if (transport.size() == 1) return;
  if (is_small_reduce(transport.size(), values.size_bytes())) return reduce_small(transport, values, copies);
  reduce_large(transport, values, copies.large);
}

template void all_reduce<float>(Transport&, std::span<float>, ReduceCopies&);
template void all_reduce<double>(Transport&, std::span<double>, ReduceCopies&);

}  // namespace widehash::detail
