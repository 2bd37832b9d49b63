#include <widehash/architecture.hpp>
#include <widehash/train.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace widehash {
namespace {

std::uint64_t num_ragged(const CodeBatchView& rows) {
  constexpr std::size_t rows_at_once = 4096;
  UnpackedRuns runs;
  std::uint64_t count = 0;
  for (std::size_t begin = 0; begin < rows.num_rows; begin += rows_at_once) {
    const CodeBatchView some =
        unpacked(rows.rows(begin, std::min(rows_at_once, rows.num_rows - begin)), runs);
    count += some.ragged_offsets.back() - some.ragged_offsets.front();
  }
  return count;
}

}  // namespace

std::uint32_t active_columns(const Dataset& dataset) {
  const CodeLayout& layout = *dataset.layout();
  if (!layout.has_ragged || dataset.num_shards() == 0) return active_columns(layout);
  const Shard shard = dataset.open_shard(0, false);
  const CodeBatchView& rows = shard.view();
  check_batch(rows, dataset.shard_path(0));  // nothing was verified yet
  if (rows.num_rows == 0) return active_columns(layout);
  const double mean_ragged = static_cast<double>(num_ragged(rows)) / static_cast<double>(rows.num_rows);
  const std::uint32_t fixed = layout.num_codes() + layout.column_stride + layout.number_stride;
  return std::max(fixed + static_cast<std::uint32_t>(std::lround(mean_ragged)), std::uint32_t{1});
}

}  // namespace widehash
