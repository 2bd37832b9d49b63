#include "dataset_metrics.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

struct PredictedShard {
  std::size_t index = 0;
  std::unique_ptr<Shard> shard;
  std::vector<float> predictions;
  std::string text;
};

Metrics metrics_for(const Architecture& architecture, const Dataset& dataset) {
  if (!dataset.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label, so there is nothing to compare predictions with; name "
                    "the label in the schema",
                    dataset.directory()));
  }
  MetricsSettings settings;
  settings.task = metric_task(architecture);
  settings.outputs = architecture.outputs;
  return Metrics(settings);
}

}  // namespace

void for_each_prediction(const PlacedModel& model, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress) {
  Progress done;
  done.bytes_total = dataset.manifest().num_bytes();
  const std::size_t outputs = model.architecture().outputs;
  const std::size_t slice_rows = model.rows_per_call();
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
          model.predict(rows, work,
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

void for_each_prediction(const PredictSlice& predict, std::size_t rows_per_call, std::uint32_t outputs,
                         const Dataset& dataset, const PredictionUse& use, const ProgressCallback& progress) {
  std::vector<float> predictions;
  Progress done;
  done.bytes_total = dataset.manifest().num_bytes();
  for (std::size_t index = 0; index < dataset.num_shards(); ++index) {
    const Shard shard = dataset.open_shard(index, true);
    const CodeBatchView& all = shard.view();
    for (std::size_t begin = 0; begin < all.num_rows; begin += rows_per_call) {
      const CodeBatchView rows = all.rows(begin, std::min(rows_per_call, all.num_rows - begin));
      predictions.resize(rows.num_rows * outputs);
      predict(rows, predictions);
      use({rows, predictions, {}});
    }
    done.rows += all.num_rows;
    done.bytes_done += dataset.manifest().shards[index].bytes;
    if (progress) progress(done);
  }
}

MetricsReport dataset_metrics(const PlacedModel& model, const Dataset& dataset,
                              const ProgressCallback& progress) {
  Metrics metrics = metrics_for(model.architecture(), dataset);
  for_each_prediction(
      model, dataset, {},
      [&](const PredictedRows& item) { metrics.add(item.predictions, item.rows.targets, item.rows.weights); },
      progress);
  return metrics.report();
}

MetricsReport dataset_metrics(const PredictSlice& predict, std::size_t rows_per_call,
                              const Architecture& architecture, const Dataset& dataset,
                              const ProgressCallback& progress) {
  Metrics metrics = metrics_for(architecture, dataset);
  for_each_prediction(
      predict, rows_per_call, architecture.outputs, dataset,
      [&](const PredictedRows& item) { metrics.add(item.predictions, item.rows.targets, item.rows.weights); },
      progress);
  return metrics.report();
}

}  // namespace widehash
