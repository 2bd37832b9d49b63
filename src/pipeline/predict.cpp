#include "block_rows.hpp"
#include "buffer_pool.hpp"
#include "dataset_match.hpp"
#include "dataset_metrics.hpp"
#include "input_blocks.hpp"
#include "input_headers.hpp"
#include "model_encoder.hpp"
#include "prediction_gaps.hpp"
#include "shared_inputs.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>
#include <widehash/predict.hpp>
#include <widehash/table_set.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::uint64_t predict_block_bytes = std::uint64_t{4} << 20;
// Many outputs make much of few rows: blocks become smaller by so much.
constexpr std::uint32_t most_parts = 64;
// Of inputs behind the one whose turn it is.
constexpr std::uint64_t bytes_ahead = std::uint64_t{64} << 20;

/// Both ways of taking predictions: as text made side by side, or, without `text`, as numbers.
struct Sink {
  PredictionText text;
  std::function<void(std::span<const float> predictions, std::string_view text)> take;
};

struct PredictedBlock {
  explicit PredictedBlock(std::shared_ptr<const CodeLayout> layout) : batch(std::move(layout)) {}

  InputBlock input;
  CodeBatch batch;  // rows that are not predicted yet
  TileBuffers tiles;
  EncodeScratch scratch;
  Workspace<float> work;
  std::vector<RejectedRow> rejected;
  std::vector<float> predictions;
  std::string text;
  std::uint64_t rows_read = 0;
};

PredictReport predict_dataset(const PlacedModel& model, const PredictOptions& options, const Sink& sink,
                              const ProgressCallback& progress) {
  const Dataset dataset(options.inputs.front());
  require_same_encoding(model.source(), options.model, dataset);
  for_each_prediction(
      model, dataset, sink.text, [&](const PredictedRows& item) { sink.take(item.predictions, item.text); },
      progress);
  PredictReport report{dataset.num_rows(), model.architecture().outputs};
  report.lines = report.rows;
  report.rejected_rows = dataset.manifest().rejected_rows;
  const std::string list = dataset.directory() + "/rejected.tsv";
  if (report.rejected_rows > 0 && file_exists(list)) report.rejected_file = list;
  return report;
}

PredictReport predict_text(const PlacedModel& model, const PredictOptions& options, const Sink& sink,
                           const ProgressCallback& progress) {
  const Encoder encoder = encoder_of(model.source(), options.model, options.tables_directory);
  const Schema& schema = encoder.schema();
  const RowRules rules(schema);
  const std::vector<Input> inputs = expand_inputs(options.inputs);
  require_headers(schema, rules, inputs, false);
  const std::uint32_t outputs = model.architecture().outputs;
  PredictReport report{0, outputs};
  const std::uint64_t block_bytes = predict_block_bytes / std::clamp<std::uint32_t>(outputs, 1, most_parts);
  InputBlocks blocks(schema, rules, inputs, block_bytes, false, bytes_ahead);
  InputTally tally(inputs.size());
  RejectedRows rejected(options.max_bad_rows, options.rejected_path, options.rejected_path);
  Progress done{.bytes_total = bytes_on_disk(inputs)};
  // Blocks go round: memory given back to the system and taken anew for each cost a second thread half of its
  // worth.
  BufferPool<PredictedBlock> used_blocks;
  ordered_pipeline<PredictedBlock>(
      current_threads() + 1,
      [&]() -> std::shared_ptr<PredictedBlock> {
        auto block = used_blocks.take();
        if (block == nullptr) block = std::make_unique<PredictedBlock>(encoder.layout());
        if (!blocks.next(block->input)) return nullptr;
        return {block.release(),
                [&](PredictedBlock* used) { used_blocks.give(std::unique_ptr<PredictedBlock>(used)); }};
      },
      [&](PredictedBlock& block) {
        // A label that happens to be there is not needed, so a bad one is no reason to refuse the row.
        FieldBinding binding = *block.input.binding;
        binding.label = binding.weight = FieldBinding::absent;
        block.rejected.clear();
        block.predictions.clear();
        const auto predict_waiting = [&] {
          const std::size_t first = block.predictions.size();
          block.predictions.resize(first + block.batch.num_rows() * outputs);
          model.predict(block.batch.view(), block.work, std::span(block.predictions).subspan(first));
          block.batch.clear();
        };
        const auto encode = [&](const auto& rows, std::vector<EncodeIssue>& issues) {
          encoder.encode(rows, binding, block.batch, issues, block.scratch);
          if (block.batch.num_rows() >= model.rows_per_call()) predict_waiting();
        };
        TileUse use{.views = encode};
        if (encoder.takes_places()) use.places = encode;
        block.rows_read = for_each_tile(dialect_of(schema), block.input, inputs[block.input.input].path,
                                        options.max_bad_rows, block.tiles, block.rejected, use);
        if (block.rejected.size() > options.max_bad_rows) return block.batch.clear();
        predict_waiting();
        if (!block.rejected.empty()) {
          block.predictions = with_gaps(block.predictions, block.rejected, block.rows_read, outputs);
        }
        if (sink.text) block.text = sink.text(block.predictions, outputs);
      },
      [&](PredictedBlock& block) {
        tally.settle(block.input.counts(block.rows_read), block.rejected);
        for (const RejectedRow& row : block.rejected) rejected.add(row);
        sink.take(block.predictions, block.text);
        report.rows += block.rows_read - block.rejected.size();
        report.lines += block.rows_read;
        done.rows = report.lines;
        done.bytes_done += block.input.disk_bytes;
        if (progress) progress(done);
      });
  tally.require_all_rows(inputs, "the predictions are not whole");
  rejected.finish();
  report.rejected_rows = rejected.count();
  report.rejected_file = rejected.written_path();
  return report;
}

bool is_dataset(const PredictOptions& options) {
  std::error_code ignored;
  return options.inputs.size() == 1 && std::filesystem::is_directory(options.inputs.front(), ignored);
}

PredictReport predict_any(const PredictOptions& options, const Sink& sink, const ProgressCallback& progress) {
  const PlacedModel model(options.model, options.device);
  return is_dataset(options) ? predict_dataset(model, options, sink, progress)
                             : predict_text(model, options, sink, progress);
}

}  // namespace

ReadPlaces places_read(const PredictOptions& options) {
  ReadPlaces read;
  if (is_dataset(options)) {
    read.folders.push_back(options.inputs.front());
  } else {
    read = places_of(expand_inputs(options.inputs));
  }
  read.files.push_back(options.model);
  if (!options.tables_directory.empty()) read.folders.push_back(tables_folder(options.tables_directory));
  return read;
}

PredictReport predict(const PredictOptions& options, const std::function<void(std::span<const float>)>& sink,
                      const ProgressCallback& progress) {
  return predict_any(options,
                     {{}, [&](std::span<const float> predictions, std::string_view) { sink(predictions); }},
                     progress);
}

PredictReport predict(const PredictOptions& options, const PredictionText& text,
                      const std::function<void(std::string_view)>& sink, const ProgressCallback& progress) {
  return predict_any(options, {text, [&](std::span<const float>, std::string_view lines) { sink(lines); }},
                     progress);
}

}  // namespace widehash
