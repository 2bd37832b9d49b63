#include <widehash/architecture.hpp>
#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>

namespace widehash {

std::uint32_t active_columns(const Dataset& dataset) {
  const CodeLayout& layout = *dataset.layout();
  if (!layout.has_ragged || dataset.num_shards() == 0) return active_columns(layout);
  const Shard shard = dataset.open_shard(0, false);
  const CodeBatchView& rows = shard.view();
  if (rows.num_rows == 0) return active_columns(layout);
  const double mean_ragged = static_cast<double>(rows.ragged.size()) / static_cast<double>(rows.num_rows);
  const std::uint32_t fixed = layout.num_codes() + layout.column_stride + layout.number_stride;
  return std::max(fixed + static_cast<std::uint32_t>(std::lround(mean_ragged)), std::uint32_t{1});
}

}  // namespace widehash
