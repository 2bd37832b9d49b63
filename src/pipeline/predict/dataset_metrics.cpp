#include "dataset_metrics.hpp"

#include <widehash/error.hpp>
#include <widehash/threads.hpp>
#include <widehash/unpacked_runs.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace widehash {
namespace {

// About 60 MB, including their text. With many outputs, the predictions of a whole shard would take much more.
constexpr std::uint64_t piece_predictions = std::uint64_t{2} << 20;

struct PredictedPiece {
  std::size_t shard_index = 0;
  std::shared_ptr<const Shard> shard;  // set where the shard has several pieces; else opened when predicted
  std::uint64_t begin = 0;
  std::uint64_t num_rows = 0;
  std::vector<float> predictions;
  std::string text;
};

/// Cuts the shards of a dataset into pieces of at most `piece_rows` rows.
class ShardPieces {
 public:
  ShardPieces(const Dataset& dataset, std::uint64_t piece_rows)
      : dataset_(dataset), piece_rows_(std::max<std::uint64_t>(piece_rows, 1)) {}

  std::shared_ptr<PredictedPiece> next() {
    if (next_ == dataset_.num_shards()) return nullptr;
    const std::uint64_t shard_rows = dataset_.manifest().shards[next_].rows;
    if (begin_ == 0 && shard_rows > piece_rows_)
      shard_ = std::make_shared<const Shard>(dataset_.open_shard(next_, true));
    auto piece = std::make_shared<PredictedPiece>();
    piece->shard_index = next_;
    piece->shard = shard_;
    piece->begin = begin_;
    piece->num_rows = std::min(piece_rows_, shard_rows - begin_);
    begin_ += piece->num_rows;
    if (begin_ == shard_rows) {
      ++next_;
      begin_ = 0;
      shard_.reset();
    }
    return piece;
  }

 private:
  const Dataset& dataset_;
  std::uint64_t piece_rows_;
  std::size_t next_ = 0;
  std::uint64_t begin_ = 0;
  std::shared_ptr<const Shard> shard_;
};

MetricsSettings settings_for(const Architecture& architecture, const Dataset& dataset) {
  if (!dataset.layout()->has_targets) {
    throw ConfigError(
        fmt::format("{}: was encoded without a label, so there is nothing to compare predictions with; name "
                    "the label in the schema",
                    dataset.name()));
  }
  return metrics_settings(architecture, dataset.schema().label, dataset.name());
}

}  // namespace

MetricsSettings metrics_settings(const Architecture& architecture, const Label& label,
                                 const std::string& source) {
  MetricsSettings settings;
  settings.task = metric_task(architecture);
  settings.outputs = architecture.outputs;
  settings.source = source;
  if (settings.task == MetricTask::classes) settings.class_names = label.classes;
  return settings;
}

void for_each_prediction(const PlacedModel& model, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress) {
  Progress done;
  done.bytes_total = dataset.manifest().num_bytes();
  const std::size_t outputs = model.architecture().outputs;
  const std::size_t slice_rows = model.rows_per_call();
  ShardPieces pieces(dataset, piece_predictions / outputs);
  ordered_pipeline<PredictedPiece>(
      current_threads() + 1, [&] { return pieces.next(); },
      [&](PredictedPiece& piece) {
        if (piece.shard == nullptr)
          piece.shard = std::make_shared<const Shard>(dataset.open_shard(piece.shard_index, true));
        const CodeBatchView all = piece.shard->view().rows(piece.begin, piece.num_rows);
        piece.predictions.resize(all.num_rows * outputs);
        Workspace<float> work;
        UnpackedRuns runs;
        for (std::size_t begin = 0; begin < all.num_rows; begin += slice_rows) {
          const CodeBatchView rows =
              unpacked(all.rows(begin, std::min(slice_rows, all.num_rows - begin)), runs);
          model.predict(rows, work,
                        std::span(piece.predictions).subspan(begin * outputs, rows.num_rows * outputs));
        }
        if (text) piece.text = text({piece.predictions, outputs});
      },
      [&](PredictedPiece& piece) {
        const CodeBatchView& all = piece.shard->view();
        use({all.rows(piece.begin, piece.num_rows), piece.predictions, piece.text});
        done.rows += piece.num_rows;
        if (piece.begin + piece.num_rows == all.num_rows)
          done.bytes_done += dataset.manifest().shards[piece.shard_index].bytes;
        if (progress) progress(done);
      });
}

void for_each_prediction(const PredictSlice& predict, std::size_t rows_per_call, std::uint32_t outputs,
                         const Dataset& dataset, const PredictionUse& use, const ProgressCallback& progress) {
  std::vector<float> predictions;
  UnpackedRuns runs;
  Progress done;
  done.bytes_total = dataset.manifest().num_bytes();
  for (std::size_t index = 0; index < dataset.num_shards(); ++index) {
    const Shard shard = dataset.open_shard(index, true);
    const CodeBatchView& all = shard.view();
    for (std::size_t begin = 0; begin < all.num_rows; begin += rows_per_call) {
      const CodeBatchView rows =
          unpacked(all.rows(begin, std::min(rows_per_call, all.num_rows - begin)), runs);
      predictions.resize(rows.num_rows * outputs);
      predict(rows, predictions);
      use({rows, predictions, {}});
    }
    done.rows += all.num_rows;
    done.bytes_done += dataset.manifest().shards[index].bytes;
    if (progress) progress(done);
  }
}

MetricsReport dataset_metrics(const PlacedModel& model, const Dataset& dataset, bool keeps_losses,
                              const ProgressCallback& progress) {
  MetricsSettings settings = settings_for(model.architecture(), dataset);
  settings.keeps_losses = keeps_losses;
  Metrics metrics(settings);
  for_each_prediction(
      model, dataset, {},
      [&](const PredictedRows& item) { metrics.add(item.predictions, item.rows.targets, item.rows.weights); },
      progress);
  return metrics.report();
}

MetricsReport dataset_metrics(const PredictSlice& predict, std::size_t rows_per_call,
                              const Architecture& architecture, const Dataset& dataset,
                              const ProgressCallback& progress) {
  MetricsSettings settings = settings_for(architecture, dataset);
  settings.confusion_classes = 0;  // a training keeps the report of every epoch
  Metrics metrics(settings);
  for_each_prediction(
      predict, rows_per_call, architecture.outputs, dataset,
      [&](const PredictedRows& item) { metrics.add(item.predictions, item.rows.targets, item.rows.weights); },
      progress);
  return metrics.report();
}

}  // namespace widehash
