#include "reduce_scatter.hpp"

#include "sum_in_order.hpp"

#include <vector>

namespace widehash::detail {

template <class Real>
void reduce_scatter(Transport& transport, std::span<const Real> values, std::span<const std::size_t> offsets,
                    std::span<Real> own) {
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  const std::vector<std::size_t> expected(size, own.size_bytes());
  for (std::size_t r = 0; r < size; ++r)
    to[r] = std::as_bytes(values.subspan(offsets[r], offsets[r + 1] - offsets[r]));
  transport.exchange(to, expected, from);
  sum_in_order<Real>(from, own);
  transport.finish();
}

template void reduce_scatter<float>(Transport&, std::span<const float>, std::span<const std::size_t>,
                                    std::span<float>);
template void reduce_scatter<double>(Transport&, std::span<const double>, std::span<const std::size_t>,
                                     std::span<double>);

}  // namespace widehash::detail
