#include "sampled_rows.hpp"

#include <widehash/first_layer.hpp>
#include <widehash/train.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace widehash {
namespace {

// The mean of a feature's effects is then off by 1/256 of their spread. 2^18 rows took 1/20 of an epoch of a
// million rows.
constexpr std::uint64_t most_rows = std::uint64_t{1} << 16;
// Rows that the backward pass takes at once.
constexpr std::size_t rows_at_once = 4096;

}  // namespace

std::vector<float> column_means(const Dataset& dataset) {
  const std::uint64_t num_columns = dataset.layout()->num_columns;
  std::vector<double> sums(num_columns);
  std::vector<double> shares(rows_at_once);
  UnpackedRuns runs;
  double num_rows = 0;
  for_each_sampled_run(
      dataset,
      [&](const CodeBatchView& rows, const SampledRun& run) {
        std::ranges::fill(shares, run.share);
        for (std::size_t done = 0; done < run.count; done += rows_at_once) {
          const CodeBatchView stored = rows.rows(run.begin + done, std::min(rows_at_once, run.count - done));
          check_batch(stored, dataset.shard_path(run.shard));
          const CodeBatchView some = unpacked(stored, runs);
          // This is the gradient of a linear model of one unit whose rows all have the same delta.
          scatter_gradient<double>(some, std::span(shares).first(some.num_rows), {0, num_columns}, 1, sums,
                                   nullptr);
        }
        num_rows += run.share * static_cast<double>(run.count);
      },
      most_rows);
  std::vector<float> means(num_columns);
  for (std::uint64_t column = 0; column < num_columns && num_rows > 0; ++column)
    means[column] = static_cast<float>(sums[column] / num_rows);
  return means;
}

}  // namespace widehash
