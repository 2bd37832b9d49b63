#include "all_reduce.hpp"

#include "sum_in_order.hpp"

#include <widehash/communicator.hpp>

#include <cstring>

namespace widehash::detail {
namespace {

template <class Real>
void reduce_small(Transport& transport, std::span<Real> values, ReduceCopies& copies) {
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<std::byte>& shown = copies.bytes[copies.turn++ % 2];
  const Bytes own = std::as_bytes(values);
  shown.assign(own.begin(), own.end());
  const std::vector<Bytes> to(size, Bytes(shown));
  const std::vector<std::size_t> expected(size, shown.size());
  std::vector<Bytes> from(size);
  transport.exchange(to, expected, from);
  sum_in_order<Real>(from, values);
}

template <class Real>
void reduce_large(Transport& transport, std::span<Real> values) {
  const auto size = static_cast<std::size_t>(transport.size());
  const auto rank = static_cast<std::size_t>(transport.rank());
  const std::vector<std::size_t> offsets = even_offsets(values.size(), size);
  const auto part = [&](std::size_t r) { return values.subspan(offsets[r], offsets[r + 1] - offsets[r]); };
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  std::vector<std::size_t> expected(size, part(rank).size_bytes());
  for (std::size_t r = 0; r < size; ++r) to[r] = std::as_bytes(part(r));
  transport.exchange(to, expected, from);
  // Nobody else looks at this rank's own part, so the sum can take its place at once.
  sum_in_order<Real>(from, part(rank));

  for (std::size_t r = 0; r < size; ++r) {
    to[r] = std::as_bytes(part(rank));
    expected[r] = part(r).size_bytes();
  }
  transport.exchange(to, expected, from);
  for (std::size_t r = 0; r < size; ++r) {
    if (r != rank && expected[r] > 0) std::memcpy(part(r).data(), from[r].data(), expected[r]);
  }
  transport.finish();
}

}  // namespace

template <class Real>
void all_reduce(Transport& transport, std::span<Real> values, ReduceCopies& copies) {
  if (transport.size() == 1) return;
  if (is_small_reduce(transport.size(), values.size_bytes())) return reduce_small(transport, values, copies);
  reduce_large(transport, values);
}

template void all_reduce<float>(Transport&, std::span<float>, ReduceCopies&);
template void all_reduce<double>(Transport&, std::span<double>, ReduceCopies&);

}  // namespace widehash::detail
