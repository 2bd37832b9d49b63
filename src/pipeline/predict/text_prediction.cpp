#include "text_prediction.hpp"

#include "encode/schema_dialect.hpp"
#include "encode/tile_limit.hpp"
#include "ingest/block_order.hpp"
#include "ingest/block_pipeline.hpp"
#include "ingest/block_rows.hpp"
#include "ingest/input_headers.hpp"
#include "ingest/shared_inputs.hpp"
#include "kept_text.hpp"
#include "model_encoder.hpp"
#include "prediction_gaps.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/buffer_pool.hpp>
#include <widehash/internal/shared_stop.hpp>
#include <widehash/row_effects.hpp>
#include <widehash/threads.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::uint64_t predict_block_bytes = std::uint64_t{4} << 20;
// A row may set very many columns. Rows that together set this many are predicted, however few rows they are.
constexpr std::size_t most_ragged_columns = std::size_t{1} << 20;
// With many outputs, few rows make many predictions: blocks become smaller by a factor of up to this.
constexpr std::uint32_t most_parts = 64;

/// Buffers of one thread for one block.
struct PredictScratch {
  explicit PredictScratch(std::shared_ptr<const CodeLayout> layout) : batch(std::move(layout)) {}

  CodeBatch batch;  // rows that are not predicted yet
  TileBuffers tiles;
  KeptText kept;
  KeptText values;  // the values of features, for their effects
  EncodeScratch encode;
  Workspace<float> work;
  RowEffects::Work effects;
};

/// The result of one block.
struct PredictedBlock {
  std::uint64_t index = 0;
  BlockCounts counts;
  std::uint64_t disk_bytes = 0;
  std::vector<RejectedRow> rejected;
  std::vector<float> predictions;
  std::vector<float> effects;
  std::vector<float> targets;  // of judged rows, like `weights`
  std::vector<float> weights;
  RowValues values;
  std::string text;

  std::uint64_t num_bytes() const {
    return (predictions.size() + effects.size() + targets.size() + weights.size()) * sizeof(float) +
           values.num_bytes() + text.size() + bytes_of(rejected);
  }
};

/// Returns `schema` with the text form that `options` give for the inputs; all else stays as it is.
Schema schema_of_text(Schema schema, const PredictOptions& options) {
  const TextForm& form = options.text_form;
  if (form.is_of_schema()) return schema;
  schema.delimiter = form.delimiter.value_or(schema.delimiter);
  schema.quote = form.quote.value_or(schema.quote);
  schema.header = form.header.value_or(schema.header);
  if (!schema.header && schema.fields.empty()) {
    throw ConfigError(fmt::format(
        "{}: its schema does not list the fields of a row, so text needs a line that names them: (echo "
        "NAMES; cat FILE) | widehash ... -, with the delimiter between the names, and without --header no",
        options.model));
  }
  check_schema(schema, fmt::format("the schema of {}, with the options given for its text", options.model));
  return schema;
}

std::size_t num_rows_of(const RowsView& rows) { return rows.num_rows(); }
std::size_t num_rows_of(const PlacedRows& rows) { return rows.num_rows; }

class TextPrediction {
 public:
  TextPrediction(const PlacedModel& model, const PredictOptions& options, TextRows use,
                 const PredictionText& text, const TakePredictedText& take, const ProgressCallback& progress)
      : model_(model),
        options_(options),
        use_(use),
        text_(text),
        take_(take),
        progress_(progress),
        encoder_(encoder_of(model.source(), options.model, options.tables_directory)),
        schema_(schema_of_text(encoder_.schema(), options)),
        rules_(schema_, options.keep, {},
               use == TextRows::judged ? "rows are to be judged by" : "is to be kept"),
        inputs_(expand_inputs(options.inputs)),
        outputs_(model.architecture().outputs),
        order_(inputs_.size()),
        tally_(inputs_.size()),
        rejected_(options.max_bad_rows, options.rejected_path, options.rejected_path) {
    report_.outputs = outputs_;
    if (options.effects) {
      effects_.emplace(model.ensemble(), encoder_.layout(), options.model);
      for (const std::size_t feature : effects_->features())
        features_.push_back(schema_.features[feature].name);
    }
    done_.bytes_total = bytes_on_disk(inputs_);
  }

  PredictReport run() {
    const RunInputs run{
        .schema = schema_,
        .rules = rules_,
        .inputs = inputs_,
        .block_bytes = predict_block_bytes / std::clamp<std::uint32_t>(outputs_, 1, most_parts),
        .needs_label = use_ == TextRows::judged,
        .allow_empty = options_.allow_empty,
        .stop = options_.stop};
    require_headers(run);
    const std::size_t threads = current_threads();
    for_each_block(
        run, {.in_flight = threads, .in_memory = threads, .waiting_bytes = &order_.waiting_bytes()},
        [this](InputBlock& input) { return predict(input); },
        [this](const BlockResults& results, const std::vector<InputEnd>& ends) { take(results, ends); });
    if (stop_is_asked(options_.stop))
      throw Stopped(use_ == TextRows::judged ? evaluation_stopped : prediction_stopped);
    tally_.require_all_rows(
        inputs_, use_ == TextRows::judged ? "the model is not judged" : "the predictions are not whole");
    rejected_.finish();
    report_.rejected_rows = rejected_.count();
    report_.rejected_file = rejected_.written_path();
    return report_;
  }

 private:
  std::shared_ptr<PredictedBlock> predict(InputBlock& input) {
    auto scratch = used_scratch_.take([&] { return std::make_unique<PredictScratch>(encoder_.layout()); });
    std::shared_ptr<PredictedBlock> block = new_block();
    CodeBatch& batch = scratch->batch;
    const auto predict_waiting = [&] {
      const std::size_t first = block->predictions.size();
      block->predictions.resize(first + batch.num_rows() * outputs_);
      const CodeBatchView rows = batch.view();
      model_.predict(rows, scratch->work, std::span(block->predictions).subspan(first));
      if (effects_) add_effects(rows, std::span(block->predictions).subspan(first), *scratch, block->effects);
      if (use_ == TextRows::judged) {
        block->targets.insert(block->targets.end(), rows.targets.begin(), rows.targets.end());
        block->weights.insert(block->weights.end(), rows.weights.begin(), rows.weights.end());
      }
      batch.clear();
    };
    const FieldBinding binding =
        use_ == TextRows::predicted ? without_target(*input.binding) : *input.binding;
    scratch->kept.clear();
    scratch->values.clear();
    std::vector<FeatureFields> fields_of_features;
    if (effects_) {
      for (const std::size_t feature : effects_->features())
        fields_of_features.emplace_back(binding.features[feature], schema_.features[feature]);
    }
    const auto encode = [&](const auto& rows, std::vector<EncodeIssue>& issues) {
      if (!binding.kept.empty()) {
        if (use_ == TextRows::judged)
          block->values.add(rows, num_rows_of(rows), binding.kept);
        else
          scratch->kept.add(rows, num_rows_of(rows), binding.kept);
      }
      if (effects_) scratch->values.add_features(rows, num_rows_of(rows), fields_of_features);
      encoder_.encode(rows, binding, batch, issues, scratch->encode);
      const bool is_much = batch.ragged.size() >= most_ragged_columns;
      if (is_much || batch.num_rows() >= model_.rows_per_call()) predict_waiting();
    };
    TileUse use{.views = encode, .max_rows = most_tile_rows(schema_)};
    if (encoder_.takes_places()) use.places = encode;
    const std::uint64_t rows_read =
        for_each_tile(dialect_of(schema_), input, inputs_[input.input].path, options_.max_bad_rows,
                      scratch->tiles, block->rejected, use);
    block->index = input.block.index;
    block->counts = input.counts(rows_read);
    block->disk_bytes = input.disk_bytes;
    if (block->rejected.size() <= options_.max_bad_rows) {
      predict_waiting();
      if (use_ == TextRows::judged)
        block->values.leave_out(block->rejected);
      else if (!block->rejected.empty())
        block->predictions = with_gaps(block->predictions, block->rejected, rows_read, outputs_);
      if (text_) block->text = text_of(*block, *scratch, rows_read, binding.kept.size());
    }
    batch.clear();
    used_scratch_.give(std::move(scratch));
    return block;
  }

  /// Appends the effects of `rows`, for which the model predicts `predictions`.
  void add_effects(const CodeBatchView& rows, std::span<const float> predictions, PredictScratch& scratch,
                   std::vector<float>& effects) const {
    const std::size_t first = effects.size();
    effects.resize(first + rows.num_rows * features_.size());
    effects_->find(rows, likeliest_outputs(predictions, outputs_), scratch.effects,
                   std::span(effects).subspan(first));
  }

  std::string text_of(PredictedBlock& block, PredictScratch& scratch, std::uint64_t rows_read,
                      std::size_t num_kept) const {
    PredictedLines lines{block.predictions, outputs_};
    std::vector<std::string_view> kept;
    std::vector<std::string_view> values;
    if (num_kept > 0) kept = scratch.kept.lines(rows_read, block.rejected, num_kept);
    lines.kept = kept;
    if (effects_) {
      if (!block.rejected.empty())
        block.effects = with_gaps(block.effects, block.rejected, rows_read, features_.size());
      values = scratch.values.lines(rows_read, block.rejected, features_.size());
      lines.features = features_;
      lines.values = values;
      lines.effects = block.effects;
    }
    return text_(lines);
  }

  std::shared_ptr<PredictedBlock> new_block() {
    auto block = used_blocks_.take([] { return std::make_unique<PredictedBlock>(); });
    block->rejected.clear();
    block->predictions.clear();
    block->effects.clear();
    block->targets.clear();
    block->weights.clear();
    block->values.clear();
    return {block.release(),
            [this](PredictedBlock* used) { used_blocks_.give(std::unique_ptr<PredictedBlock>(used)); }};
  }

  void take(const BlockResults& results, const std::vector<InputEnd>& ends) {
    for (const InputEnd& end : ends) order_.add(end);
    for (const auto& result : results) {
      auto block = std::static_pointer_cast<PredictedBlock>(result);
      const auto [input, index, num_bytes] =
          std::tuple(block->counts.input, block->index, block->num_bytes());
      order_.add(input, index, std::move(block), num_bytes);
    }
    while (const auto block = order_.next()) give(**block);
  }

  void give(PredictedBlock& block) {
    tally_.settle(block.counts, block.rejected);
    for (const RejectedRow& row : block.rejected) rejected_.add(row);
    take_({block.predictions, block.targets, block.weights, block.text, block.values.fields()});
    report_.rows += block.counts.rows_read - block.rejected.size();
    report_.lines += block.counts.rows_read;
    done_.rows = report_.lines;
    done_.bytes_done += block.disk_bytes;
    if (progress_) progress_(done_);
  }

  const PlacedModel& model_;
  const PredictOptions& options_;
  const TextRows use_;
  const PredictionText& text_;
  const TakePredictedText& take_;
  const ProgressCallback& progress_;
  const Encoder encoder_;
  const Schema schema_;  // with the text form of the inputs
  const RowRules rules_;
  const std::vector<Input> inputs_;
  const std::uint32_t outputs_;
  std::optional<RowEffects> effects_;  // where they are requested
  std::vector<std::string> features_;  // the names of the features with effects
  // These are reused: returning memory to the system and allocating it anew for each block cost half of what
  // a second thread gains.
  BufferPool<PredictScratch> used_scratch_;
  BufferPool<PredictedBlock> used_blocks_;
  BlockOrder<std::shared_ptr<PredictedBlock>> order_;
  InputTally tally_;
  RejectedRows rejected_;
  PredictReport report_;
  Progress done_;
};

}  // namespace

PredictReport predict_text(const PlacedModel& model, const PredictOptions& options, TextRows use,
                           const PredictionText& text, const TakePredictedText& take,
                           const ProgressCallback& progress) {
  return TextPrediction(model, options, use, text, take, progress).run();
}

}  // namespace widehash
