#pragma once

/// \file
/// The order in which an epoch visits the rows of a dataset: a function of seed, epoch and manifest alone.
///
/// Shards are put in random order and taken in windows of neighbours, as many as fit in `window_bytes`; the
/// rows of a window are shuffled together. A row is thus mixed only with the rows of its window: the disk is
/// read in long runs, and memory holds one window whatever the size of the dataset.

#include <widehash/manifest.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

inline constexpr std::uint64_t shuffle_window_bytes = std::uint64_t{256} << 20;

/// Returns how many neighbouring rows are drawn together. A random row costs misses of the cache and of the
/// page table, which neighbours share. The result is a power of two, at most 32; beyond that nothing is
/// gained. Batches below 1024 rows are drawn row by row. From there on, groups grow faster than the batch,
/// which has at least 128 draws if it is full. On flights, whose rows are in order of time, batches of 2048
/// and 4096 rows learn no worse from 128 draws than from 512 (docs/performance.md).
constexpr std::uint64_t group_rows(std::uint64_t batch_size) noexcept {
  const std::uint64_t times = std::clamp<std::uint64_t>(batch_size / 512, 1, 8);
  return std::bit_floor(std::min<std::uint64_t>(times * times, 32));
}

/// Shards that are open at the same time, in order; `first_row` is the number of rows of the epoch before them.
struct RowWindow {
  std::vector<std::size_t> shards;
  std::uint64_t first_row = 0;
  std::uint64_t num_rows = 0;
};

/// Returns the windows of an epoch. Without `shuffle`, shards come in the order of the manifest.
std::vector<RowWindow> row_windows(std::span<const ManifestShard> shards, std::uint64_t seed,
                                   std::uint64_t epoch, bool shuffle,
                                   std::uint64_t window_bytes = shuffle_window_bytes);

/// Returns a seeded random permutation of 0..count-1, the same on every platform.
std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch,
                                       std::uint64_t stream);

}  // namespace widehash
