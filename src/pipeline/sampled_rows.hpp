#pragma once

/// \file
/// Rows of a dataset that stand for all where a scale is wanted, and no pass over everything.

#include <widehash/dataset.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace widehash {

/// Rows that are looked at: 16 MiB of one number each.
inline constexpr std::uint64_t most_sampled_rows = std::uint64_t{1} << 22;

/// Calls use(rows, row) for all rows of the dataset, or for the first ones of every shard where there are more
/// than most_sampled_rows. Throws DataError for a damaged shard.
template <class Use>
void for_each_sampled_row(const Dataset& dataset, const Use& use) {
  const std::uint64_t num_shards = std::max<std::uint64_t>(dataset.num_shards(), 1);
  const std::uint64_t of_shard =
      dataset.num_rows() <= most_sampled_rows ? dataset.num_rows() : (most_sampled_rows - 1) / num_shards + 1;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_shard(i, false);
    const CodeBatchView& rows = shard.view();
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows.num_rows, of_shard));
    for (std::size_t row = 0; row < count; ++row) use(rows, row);
  }
}

}  // namespace widehash
