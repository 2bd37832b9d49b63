#include "barrier.hpp"

#include <vector>

namespace widehash::detail {

void barrier(Transport& transport) {
  const auto size = static_cast<std::size_t>(transport.size());
  const std::byte sign{};
  const std::vector<Bytes> to(size, Bytes(&sign, 1));
  const std::vector<std::size_t> expected(size, 1);
  std::vector<Bytes> from(size);
  transport.exchange(to, expected, from);
  transport.finish();
}

}  // namespace widehash::detail
