#include "dataset_match.hpp"
#include "dataset_metrics.hpp"
#include "model_encoder.hpp"
#include "row_judge.hpp"
#include "text_prediction.hpp"

#include <widehash/encoder.hpp>
#include <widehash/error.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/internal/stoppable_progress.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

EvaluateReport of_datasets(const PlacedModel& model, const EvaluateOptions& options,
                           const ProgressCallback& progress) {
  require_no_text_options(options.text_form, options.max_bad_rows, options.allow_empty,
                          options.inputs.front());
  if (!options.by.empty())
    throw ConfigError(fmt::format(
        "{}: is a dataset, which has codes but no values to judge by; name the text that it was made from",
        options.inputs.front()));
  const Dataset dataset = join_datasets(options.inputs);
  if (dataset.num_rows() == 0)
    throw DataError(dataset.name(), 0, "has no rows to judge by; give a dataset that has some");
  require_weight(dataset, "judge by");
  require_same_encoding(model.source(), options.model, dataset);
  // As predict() does: encoded rows need no tables, but giving the wrong ones is a mistake worth reporting.
  if (!options.tables_directory.empty())
    (void)encoder_of(model.source(), options.model, options.tables_directory);
  return {dataset_metrics(model, dataset, !options.against.empty(),
                          stoppable_progress(options.stop, evaluation_stopped, progress)),
          dataset.manifest().rejected_rows};
}

EvaluateReport of_text(const PlacedModel& model, const EvaluateOptions& options,
                       const ProgressCallback& progress) {
  const std::size_t others = options.inputs.size() - 1;
  const std::string& first = options.inputs.front();
  const std::string name = others == 0 ? first : fmt::format("{} and {} more", first, others);
  const Schema schema = parse_schema(model.source().schema_toml, options.model);
  RowJudge judge(model.architecture(), schema.label, name, options.by, options.most_values,
                 !options.against.empty());
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
       .allow_empty = options.allow_empty,
       .stop = options.stop},
      TextRows::judged, {},
      [&](const PredictedText& rows) {
        judge.add(rows.predictions, rows.targets, rows.weights, rows.values);
      },
      progress);
  return judge.report(read.rejected_rows);
}

EvaluateReport judged(const PlacedModel& model, const EvaluateOptions& options,
                      const ProgressCallback& progress) {
  return are_datasets(options.inputs) ? of_datasets(model, options, progress)
                                      : of_text(model, options, progress);
}

/// Compares the model of `report` with another one, whose metrics are `other`.
Comparison compared(const MetricsReport& report, MetricsReport other) {
  const LossDifference found = loss_difference(report.losses, other.losses);
  Comparison comparison{std::move(other), found.difference, found.standard_error};
  if (judged_by(report).value != &MetricsReport::rmse) return comparison;
  // a - b = (a^2 - b^2) / (a + b)
  const double sum = *report.rmse + *comparison.metrics.rmse;
  const double scale = sum > 0 ? 1 / sum : 0;
  comparison.difference *= scale;
  if (comparison.standard_error) *comparison.standard_error *= scale;
  return comparison;
}

void require_same_task(const PlacedModel& model, const PlacedModel& other, const EvaluateOptions& options) {
  const Architecture& first = model.architecture();
  const Architecture& second = other.architecture();
  if (metric_task(first) == metric_task(second) && first.outputs == second.outputs) return;
  throw ConfigError(
      fmt::format("{} and {} do not predict the same kind of thing (losses {} and {}, {} and {} outputs), so "
                  "there is no single figure to compare them by; evaluate each alone",
                  options.model, options.against, to_string(first.loss), to_string(second.loss),
                  first.outputs, second.outputs));
}

}  // namespace

EvaluateReport evaluate(const EvaluateOptions& options, const ProgressCallback& progress) {
  if (options.inputs.empty())
    throw ConfigError("there is nothing to judge by; name datasets, or inputs of text");
  const PlacedModel model(options.model, options.device, options.undo_class_weights);
  if (options.against.empty()) return judged(model, options, progress);
  if (std::ranges::find(options.inputs, "-") != options.inputs.end())
    throw ConfigError(
        "two models must read the inputs, but the standard input cannot be read twice; name files");
  const PlacedModel other(options.against, options.device, options.undo_class_weights);
  require_same_task(model, other, options);
  EvaluateReport report = judged(model, options, progress);
  EvaluateOptions again = options;
  again.model = options.against;
  again.by = {};
  report.against = compared(report.metrics, judged(other, again, progress).metrics);
  return report;
}

}  // namespace widehash
