#pragma once

/// \file
/// The order in which an epoch sees the rows of a dataset: a function of seed, epoch and the manifest alone.
///
/// Shards are put in random order and taken in windows of neighbours, as many as fit `window_bytes`; the rows
/// of a window are shuffled together. A row is thus mixed with those of its window only: disk is read in long
/// runs, and memory holds one window whatever the size of the dataset.

#include <widehash/manifest.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

inline constexpr std::uint64_t shuffle_window_bytes = std::uint64_t{256} << 20;

/// Rows that are drawn together: a random row costs misses of the cache and of the page table, neighbours
/// share them. A power of two, up to 32: beyond that nothing is gained. Batches below 1024 rows are drawn row
/// by row; from there on groups grow faster than the batch, which has 128 draws at least if it is full. On
/// flights, which lie in order of time, batches of 2048 and 4096 rows learn no worse from 128 draws than from
/// 512 (docs/performance.md).
constexpr std::uint64_t group_rows(std::uint64_t batch_size) noexcept {
  const std::uint64_t times = std::clamp<std::uint64_t>(batch_size / 512, 1, 8);
  return std::bit_floor(std::min<std::uint64_t>(times * times, 32));
}

/// Shards that are open at the same time, in order; `first_row` counts the epoch's rows before them.
struct RowWindow {
  std::vector<std::size_t> shards;
  std::uint64_t first_row = 0;
  std::uint64_t num_rows = 0;
};

/// The windows of an epoch. Without `shuffle`, shards come in the order of the manifest.
std::vector<RowWindow> row_windows(std::span<const ManifestShard> shards, std::uint64_t seed,
                                   std::uint64_t epoch, bool shuffle,
                                   std::uint64_t window_bytes = shuffle_window_bytes);

/// A seeded random permutation of 0..count-1, the same on every platform.
std::vector<std::uint64_t> permutation(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch,
                                       std::uint64_t stream);

}  // namespace widehash
