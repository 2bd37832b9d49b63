#include "row_order.hpp"

#include <widehash/internal/splitmix64.hpp>

#include <numeric>
#include <utility>

namespace widehash {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t state) : state_(state) {}

  std::uint64_t next() noexcept {
    const std::uint64_t number = splitmix64(state_);
    state_ += splitmix64_step;
    return number;
  }
  // Uniform below `bound`, up to a bias of bound / 2^64.
  std::uint64_t below(std::uint64_t bound) noexcept {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace

std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch,
                                       std::uint64_t stream) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const std::uint64_t epoch_state = Random(seed).next() ^ epoch;
  Random random(Random(epoch_state).next() ^ stream);
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<RowWindow> row_windows(std::span<const ManifestShard> shards, std::uint64_t seed,
                                   std::uint64_t epoch, bool shuffle, std::uint64_t window_bytes) {
  std::vector<std::uint64_t> order(shards.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  if (shuffle) order = permutation(shards.size(), seed, epoch, 0);
  std::vector<RowWindow> windows;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;
  for (const std::uint64_t shard : order) {
    if (windows.empty() || bytes + shards[shard].bytes > window_bytes) {
      windows.push_back({{}, rows, 0});
      bytes = 0;
    }
    windows.back().shards.push_back(shard);
    windows.back().num_rows += shards[shard].rows;
    bytes += shards[shard].bytes;
    rows += shards[shard].rows;
  }
  return windows;
}

}  // namespace widehash
