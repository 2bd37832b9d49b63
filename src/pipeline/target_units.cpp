#include <widehash/train.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace widehash {
namespace {

// Targets that are looked at: 16 MiB of a dataset of any size.
constexpr std::uint64_t rows_to_look_at = std::uint64_t{1} << 22;

/// Calls `look(target, weight)` for those that count in training.
template <class Look>
void for_each_target(const Dataset& dataset, const Look& look) {
  const std::uint64_t num_shards = std::max<std::uint64_t>(dataset.num_shards(), 1);
  const std::uint64_t of_shard =
      dataset.num_rows() <= rows_to_look_at ? dataset.num_rows() : (rows_to_look_at - 1) / num_shards + 1;
  for (std::size_t i = 0; i < dataset.num_shards(); ++i) {
    const Shard shard = dataset.open_shard(i, false);
    const CodeBatchView& rows = shard.view();
    const std::size_t count = std::min<std::uint64_t>(rows.targets.size(), of_shard);
    for (std::size_t row = 0; row < count; ++row) {
      const double weight = rows.weights.empty() ? 1.0 : double{rows.weights[row]};
      const double target = rows.targets[row];
      // Others are refused with the name of their batch.
      if (weight > 0 && std::isfinite(weight) && std::isfinite(target)) look(target, weight);
    }
  }
}

}  // namespace

TargetUnits target_units(const Dataset& dataset) {
  // Distances from a target, so that large ones with a small spread do not cancel. Double has room for the
  // squares of all floats.
  std::optional<double> first;
  double weight_sum = 0;
  double distance_sum = 0;
  for_each_target(dataset, [&](double target, double weight) {
    if (!first) first = target;
    weight_sum += weight;
    distance_sum += weight * (target - *first);
  });
  if (!first) return {};
  const double mean = distance_sum / weight_sum;
  double squares = 0;
  for_each_target(dataset, [&](double target, double weight) {
    const double distance = target - *first - mean;
    squares += weight * distance * distance;
  });
  const double deviation = std::sqrt(squares / weight_sum);
  return {*first + mean, deviation > 0 ? deviation : 1};
}

}  // namespace widehash
