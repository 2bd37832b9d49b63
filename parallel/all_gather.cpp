#include "all_gather.hpp"

#include <cstring>
#include <vector>

namespace widehash::detail {

void all_gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets,
                std::span<std::byte> whole) {
  const auto size = static_cast<std::size_t>(transport.size());
  const std::vector<Bytes> to(size, own);
  std::vector<Bytes> from(size);
  std::vector<std::size_t> expected(size);
  for (std::size_t r = 0; r < size; ++r) expected[r] = offsets[r + 1] - offsets[r];
  transport.exchange(to, expected, from);
  for (std::size_t r = 0; r < size; ++r) {
    std::byte* place = whole.data() + offsets[r];
    if (expected[r] > 0 && from[r].data() != place) std::memcpy(place, from[r].data(), expected[r]);
  }
  transport.finish();
}

}  // namespace widehash::detail
