#include "broadcast.hpp"

#include "all_gather.hpp"

#include <widehash/communicator.hpp>

#include <cstring>
#include <vector>

namespace widehash::detail {

void broadcast(Transport& transport, std::span<std::byte> values, int root, HostCopies& copies) {
  const auto size = static_cast<std::size_t>(transport.size());
  const auto rank = static_cast<std::size_t>(transport.rank());
  const auto root_rank = static_cast<std::size_t>(root);
  const bool is_small = values.size() <= small_broadcast_bytes;
  const std::vector<std::size_t> offsets = even_offsets(values.size(), size);
  const auto part = [&](std::size_t r) {
    return is_small ? values : values.subspan(offsets[r], offsets[r + 1] - offsets[r]);
  };
  std::vector<Bytes> to(size);
  std::vector<Bytes> from(size);
  std::vector<std::size_t> expected(size, 0);
  for (std::size_t r = 0; rank == root_rank && r < size; ++r) to[r] = part(r);
  expected[root_rank] = part(rank).size();
  transport.exchange(to, expected, from);
  const std::span<std::byte> own = part(rank);
  if (rank != root_rank && !own.empty()) std::memcpy(own.data(), from[root_rank].data(), own.size());
  // The root's bytes stay unchanged while others read them: all_gather overwrites them only with the same
  // bytes.
  transport.finish();
  if (is_small) return;
  all_gather(transport, own, offsets, values, copies);
  transport.finish();
}

}  // namespace widehash::detail
