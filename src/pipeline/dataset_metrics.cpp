#include "dataset_metrics.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// Rows predicted at a time: their codes stay in the second cache.
constexpr std::size_t slice_rows = 4096;

struct PredictedShard {
  std::size_t index = 0;
  std::unique_ptr<Shard> shard;
  std::vector<float> predictions;
  std::string text;
};

}  // namespace

void for_each_prediction(const Network<float>& network, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress) {
  Progress done;
  for (const ManifestShard& shard : dataset.manifest().shards) done.bytes_total += shard.bytes;
  const std::size_t outputs = network.architecture().outputs;
  std::size_t next = 0;
  ordered_pipeline<PredictedShard>(
      current_threads() + 1,
      [&]() -> std::shared_ptr<PredictedShard> {
        if (next == dataset.num_shards()) return nullptr;
        auto item = std::make_shared<PredictedShard>();
        item->index = next++;
        return item;
      },
      [&](PredictedShard& item) {
        item.shard = std::make_unique<Shard>(dataset.open_shard(item.index, true));
        const CodeBatchView& all = item.shard->view();
        item.predictions.resize(all.num_rows * outputs);
        Workspace<float> work;
        for (std::size_t begin = 0; begin < all.num_rows; begin += slice_rows) {
          const CodeBatchView rows = all.rows(begin, std::min(slice_rows, all.num_rows - begin));
          network.predict(rows, work,
                          std::span(item.predictions).subspan(begin * outputs, rows.num_rows * outputs));
        }
        if (text) item.text = text(item.predictions, outputs);
      },
      [&](PredictedShard& item) {
        use({item.shard->view(), item.predictions, item.text});
        done.rows += item.shard->view().num_rows;
        done.bytes_done += dataset.manifest().shards[item.index].bytes;
        if (progress) progress(done);
      });
}

MetricsReport dataset_metrics(const Network<float>& network, const Dataset& dataset,
                              const ProgressCallback& progress) {
  if (!dataset.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label, so there is nothing to compare predictions with; name "
                    "the label in the schema",
                    dataset.directory()));
  }
  MetricsSettings settings;
  settings.task = metric_task(network.architecture());
  settings.outputs = network.architecture().outputs;
  Metrics metrics(settings);
  for_each_prediction(
      network, dataset, {},
      [&](const PredictedRows& item) { metrics.add(item.predictions, item.rows.targets, item.rows.weights); },
      progress);
  return metrics.report();
}

}  // namespace widehash
