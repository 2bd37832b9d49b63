#include "dataset_match.hpp"
#include "dataset_metrics.hpp"
#include "model_encoder.hpp"
#include "row_judge.hpp"
#include "text_prediction.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/evaluate.hpp>

#include <fmt/format.h>

namespace widehash {
namespace {

EvaluateReport of_datasets(const PlacedModel& model, const EvaluateOptions& options,
                           const ProgressCallback& progress) {
  require_no_text_options(options.text_form, options.max_bad_rows, options.allow_empty,
                          options.inputs.front());
  if (!options.by.empty())
    throw ConfigError(
        fmt::format("{}: is a dataset, which has codes and no values to judge by; name the text that it "
                    "was made of",
                    options.inputs.front()));
  const Dataset dataset = join_datasets(options.inputs);
  if (dataset.num_rows() == 0)
    throw DataError(dataset.name(), 0, "has no rows to judge by; give a dataset that has some");
  require_weight(dataset, "judge by");
  require_same_encoding(model.source(), options.model, dataset);
  // As predict() does.
  if (!options.tables_directory.empty())
    (void)encoder_of(model.source(), options.model, options.tables_directory);
  return {dataset_metrics(model, dataset, progress), dataset.manifest().rejected_rows};
}

EvaluateReport of_text(const PlacedModel& model, const EvaluateOptions& options,
                       const ProgressCallback& progress) {
  const std::size_t others = options.inputs.size() - 1;
  const std::string& first = options.inputs.front();
  const std::string name = others == 0 ? first : fmt::format("{} and {} more", first, others);
  const Schema schema = parse_schema(model.source().schema_toml, options.model);
  RowJudge judge(model.architecture(), schema.label, name, options.by, options.most_values);
  const PredictReport read = predict_text(
      model,
      {.model = options.model,
       .inputs = options.inputs,
       .tables_directory = options.tables_directory,
       .device = options.device,
       .max_bad_rows = options.max_bad_rows,
       .keep = options.by,
       .text_form = options.text_form,
       .undo_class_weights = options.undo_class_weights,
       .allow_empty = options.allow_empty},
      TextRows::judged, {},
      [&](const PredictedText& rows) {
        judge.add(rows.predictions, rows.targets, rows.weights, rows.values);
      },
      progress);
  return judge.report(read.rejected_rows);
}

}  // namespace

EvaluateReport evaluate(const EvaluateOptions& options, const ProgressCallback& progress) {
  if (options.inputs.empty())
    throw ConfigError("there is nothing to judge by; name datasets, or inputs of text");
  const PlacedModel model(options.model, options.device, options.undo_class_weights);
  return are_datasets(options.inputs) ? of_datasets(model, options, progress)
                                      : of_text(model, options, progress);
}

}  // namespace widehash
