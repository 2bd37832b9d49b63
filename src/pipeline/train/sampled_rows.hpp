#pragma once

/// \file
/// Samples of the rows of a dataset, for figures that need a scale rather than a pass over everything.

#include <widehash/class_weights.hpp>
#include <widehash/dataset.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace widehash {

/// The number of rows to sample: 16 MiB of one number each, in runs of a page.
inline constexpr std::uint64_t most_sampled_rows = std::uint64_t{1} << 22;
inline constexpr std::uint64_t rows_per_run = 1024;

/// Returns what a sampled row counts for: its own weight, or 1 without one, times the weight of its class.
inline double sampled_weight(const Dataset& dataset, const CodeBatchView& rows, std::size_t row) noexcept {
  const double own = rows.weights.empty() ? 1.0 : double{rows.weights[row]};
  return dataset.class_weights().empty() ? own
                                         : own * class_weight(dataset.class_weights(), rows.targets[row]);
}

/// Rows [begin, begin + count) of shard `shard`, each of which stands for `share` rows of it.
struct SampledRun {
  std::size_t shard = 0;
  std::size_t begin = 0;
  std::size_t count = 0;
  double share = 1;
};

/// Calls use(rows, run), where `rows` are those of the whole shard, for all rows of the dataset. Where it has
/// more than `most_rows`, calls it for runs of neighbouring rows spread evenly over every shard, with at
/// least one row of each shard. Throws DataError for a damaged shard; codes are not checked.
template <class Use>
void for_each_sampled_run(const Dataset& dataset, const Use& use, std::uint64_t most_rows) {
  const auto total = static_cast<double>(dataset.num_rows());
  const bool takes_all = dataset.num_rows() <= most_rows;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_stored_shard(i, false);
    const CodeBatchView& rows = shard.view();
    const std::uint64_t count = rows.num_rows;
    if (count == 0) continue;
    const auto wanted =
        static_cast<std::uint64_t>(static_cast<double>(count) / total * static_cast<double>(most_rows));
    const std::uint64_t num_runs = takes_all ? 1 : wanted / rows_per_run + 1;
    const std::uint64_t length =
        takes_all ? count : std::min(std::max<std::uint64_t>(wanted / num_runs, 1), count / num_runs);
    const std::uint64_t sampled = num_runs * length;
    const double share = static_cast<double>(count) / static_cast<double>(sampled);
    for (std::uint64_t run = 0; run < num_runs; ++run)
      use(rows, SampledRun{i, static_cast<std::size_t>(count / num_runs * run),
                           static_cast<std::size_t>(length), share});
  }
}

/// The same row by row: calls use(rows, row, share). The weight of a row is sampled_weight().
template <class Use>
void for_each_sampled_row(const Dataset& dataset, const Use& use,
                          std::uint64_t most_rows = most_sampled_rows) {
  for_each_sampled_run(
      dataset,
      [&](const CodeBatchView& rows, const SampledRun& run) {
        for (std::size_t row = run.begin; row < run.begin + run.count; ++row) use(rows, row, run.share);
      },
      most_rows);
}

}  // namespace widehash
