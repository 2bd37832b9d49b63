#include "gather.hpp"

#include <cstring>
#include <vector>

namespace widehash::detail {

void gather(Transport& transport, Bytes own, std::span<const std::size_t> offsets, int root,
            std::span<std::byte> whole) {
  const auto size = static_cast<std::size_t>(transport.size());
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  std::vector<std::size_t> expected(size, 0);
  to[static_cast<std::size_t>(root)] = own;
  const bool is_root = transport.rank() == root;
  for (std::size_t r = 0; is_root && r < size; ++r) expected[r] = offsets[r + 1] - offsets[r];
  transport.exchange(to, expected, from);
  for (std::size_t r = 0; is_root && r < size; ++r) {
    if (expected[r] > 0) std::memcpy(whole.data() + offsets[r], from[r].data(), expected[r]);
  }
  transport.finish();
}

}  // namespace widehash::detail
