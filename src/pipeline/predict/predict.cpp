#include "dataset_match.hpp"
#include "dataset_metrics.hpp"
#include "ingest/rejected_rows.hpp"
#include "ingest/shared_inputs.hpp"
#include "model_encoder.hpp"
#include "text_prediction.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/dataset_places.hpp>
#include <widehash/internal/stoppable_progress.hpp>
#include <widehash/predict.hpp>
#include <widehash/table_set.hpp>

#include <fmt/format.h>

namespace widehash {
namespace {

/// The two ways to take predictions: as text that is made concurrently, or, without `text`, as numbers.
struct Sink {
  PredictionText text;
  std::function<void(std::span<const float> predictions, std::string_view text)> take;
};

/// Returns the list of rows that were left out of a dataset. Returns "" where several datasets have such
/// lists, since none of them covers all rows.
std::string only_list(const Dataset& dataset, std::uint64_t rejected_rows) {
  std::string only;
  for (const std::string& directory : dataset.directories()) {
    const std::string list = kept_list(directory, rejected_rows);
    if (list.empty()) continue;
    if (!only.empty()) return {};
    only = list;
  }
  return only;
}

PredictReport predict_datasets(const PlacedModel& model, const PredictOptions& options, const Sink& sink,
                               const ProgressCallback& progress) {
  if (!options.keep.empty()) {
    throw ConfigError(fmt::format("{}: is a dataset, which has no text to keep; predict its inputs instead",
                                  options.inputs.front()));
  }
  if (options.effects) {
    throw ConfigError(fmt::format(
        "{}: is a dataset, which has no values to show the effects of; predict its inputs instead",
        options.inputs.front()));
  }
  require_no_text_options(options.text_form, options.max_bad_rows, options.allow_empty,
                          options.inputs.front());
  const Dataset dataset = join_datasets(options.inputs);
  require_same_encoding(model.source(), options.model, dataset);
  // The rows are encoded already, but tables that are given are checked all the same: the wrong ones are a mistake.
  if (!options.tables_directory.empty())
    (void)encoder_of(model.source(), options.model, options.tables_directory);
  for_each_prediction(
      model, dataset, sink.text, [&](const PredictedRows& item) { sink.take(item.predictions, item.text); },
      stoppable_progress(options.stop, prediction_stopped, progress));
  PredictReport report{dataset.num_rows(), model.architecture().outputs};
  report.lines = report.rows;
  report.rejected_rows = dataset.manifest().rejected_rows;
  report.rejected_file = only_list(dataset, report.rejected_rows);
  return report;
}

PredictReport predict_any(const PredictOptions& options, const Sink& sink, const ProgressCallback& progress) {
  if (!options.rejected_path.empty()) {
    require_apart(options.rejected_path, places_read(options));
    if (options.max_bad_rows > 0) require_place_for_list(options.rejected_path);
  }
  const PlacedModel model(options.model, options.device, options.undo_class_weights);
  if (are_datasets(options.inputs)) {
    PredictReport report = predict_datasets(model, options, sink, progress);
    // As predict_text() does where no row is bad.
    if (!options.rejected_path.empty()) remove_rejected_list(options.rejected_path);
    return report;
  }
  return predict_text(
      model, options, TextRows::predicted, sink.text,
      [&](const PredictedText& rows) { sink.take(rows.predictions, rows.text); }, progress);
}

}  // namespace

ReadPlaces places_read(const PredictOptions& options) {
  ReadPlaces read;
  if (are_datasets(options.inputs)) {
    read = places_of(join_datasets(options.inputs));
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
