#include "dataset_metrics.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Rows predicted at a time: enough for all threads, small beside a shard.
constexpr std::size_t slice_rows = 16384;

}  // namespace

Predictor predictor_of(const Model<float>& model) {
  return [&model, work = std::make_shared<Workspace<float>>()](const CodeBatchView& rows,
                                                               std::span<float> predictions) {
    model.predict(rows, *work, predictions);
  };
}

void for_each_prediction(const Predictor& predict, std::uint32_t outputs, const Dataset& dataset,
                         const std::function<void(const CodeBatchView&, std::span<const float>)>& use,
                         const ProgressCallback& progress) {
  std::vector<float> predictions;
  Progress done;
  for (const ManifestShard& shard : dataset.manifest().shards) done.bytes_total += shard.bytes;
  for (std::size_t index = 0; index < dataset.num_shards(); ++index) {
    const Shard shard = dataset.open_shard(index, true);
    const CodeBatchView& all = shard.view();
    for (std::size_t begin = 0; begin < all.num_rows; begin += slice_rows) {
      const CodeBatchView rows = all.rows(begin, std::min(slice_rows, all.num_rows - begin));
      predictions.resize(rows.num_rows * outputs);
      predict(rows, predictions);
      use(rows, predictions);
    }
    done.rows += all.num_rows;
    done.bytes_done += dataset.manifest().shards[index].bytes;
    if (progress) progress(done);
  }
}

MetricsReport dataset_metrics(const Predictor& predict, const Architecture& architecture,
                              const Dataset& dataset, const ProgressCallback& progress) {
  if (!dataset.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label, so there is nothing to compare predictions with; name "
                    "the label in the schema",
                    dataset.directory()));
  }
  MetricsSettings settings;
  settings.task = metric_task(architecture);
  settings.outputs = architecture.outputs;
  Metrics metrics(settings);
  for_each_prediction(
      predict, architecture.outputs, dataset,
      [&](const CodeBatchView& rows, std::span<const float> predictions) {
        metrics.add(predictions, rows.targets, rows.weights);
      },
      progress);
  return metrics.report();
}

}  // namespace widehash
