#include "only_target.hpp"

#include "sampled_rows.hpp"

namespace widehash {

std::optional<float> only_target(const Dataset& dataset) {
  std::optional<float> only;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_stored_shard(i, false);
    const CodeBatchView& rows = shard.view();
    for (std::size_t row = 0; row < rows.targets.size(); ++row) {
      if (rows.targets[row] == only || sampled_weight(dataset, rows, row) <= 0) continue;
      if (only) return std::nullopt;
      only = rows.targets[row];
    }
  }
  return only;
}

}  // namespace widehash
