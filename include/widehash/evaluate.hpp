#pragma once

/// \file
/// Evaluates a model against the labels of rows.

#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/predict.hpp>
#include <widehash/progress.hpp>
#include <widehash/stop.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

struct EvaluateOptions {
  std::string model;
  /// Either folders of datasets with the model's encoding, joined as join_datasets() does, or text inputs.
  /// They need labels, and weights if the schema has them.
  std::vector<std::string> inputs;
  std::string tables_directory = {};  // for text inputs if the schema needs tables
  Device device = {};                 // the device that predicts
  bool undo_class_weights = false;    // as in PredictOptions
  std::uint64_t max_bad_rows = 0;     // bad rows of text inputs that are left out before giving up
  TextForm text_form = {};            // as in PredictOptions
  /// A text input of zero bytes has no rows, as in TransformOptions.
  bool allow_empty = false;
  /// Fields of text inputs: rows are also judged separately by the values of these fields. The schema need
  /// not mention them. Throws ConfigError for datasets.
  std::vector<std::string> by = {};
  /// Another model to judge by the same rows; "": none. For text inputs, its schema may differ in all but the
  /// label and the weight.
  std::string against = {};
  /// For each field of `by`, the first `most_values` values are judged separately; the rows of all other
  /// values are judged together.
  std::uint64_t most_values = 1000;
  const StopFlag* stop = nullptr;  // ends the work with Stopped
};

/// Metrics of the rows that hold one value.
struct ValueMetrics {
  std::string value;
  MetricsReport metrics;  // without a confusion matrix; classes have no names
};

/// Metrics of the rows grouped by their values of one field.
struct FieldMetrics {
  std::string field;
  std::vector<ValueMetrics> values = {};     // heaviest first, ties by first occurrence
  std::optional<MetricsReport> others = {};  // of all values beyond the first `most_values`
};

/// Comparison of a model with another one on the same rows.
struct Comparison {
  MetricsReport metrics;  // of the other model
  /// The figure of judged_by(), the model's minus the other model's.
  double difference = 0;
  /// Standard error of the difference (loss_blocks.hpp); none if there is only one row.
  std::optional<double> standard_error;
};

struct EvaluateReport {
  MetricsReport metrics;
  /// Rows left out: bad rows of text, or the rows that the transform of a dataset left out.
  std::uint64_t rejected_rows = 0;
  std::vector<FieldMetrics> by = {};  // in the order of EvaluateOptions::by
  std::optional<Comparison> against = {};
};

/// Returns the metrics of the model over all rows. For text they equal, bit for bit, those of the dataset
/// that transform() makes of it. The metrics of a value of `by` equal, bit for bit, those of a table of its
/// rows, except that the AUC of more than 32,768 rows has an error bound. Throws ConfigError if the schemas
/// differ, saying how, or if there is no label; FileError; DataError for a damaged file, too many bad rows,
/// or rows that weigh nothing; DeviceError if the device cannot be used. Cost: one pass over the rows, few of
/// which are in memory at a time, and up to 1 MB for each value of `by`. With `against` there are two passes,
/// and ConfigError is thrown if the inputs include the standard input, or if the other model predicts another
/// kind of thing or takes other rows.
EvaluateReport evaluate(const EvaluateOptions& options, const ProgressCallback& progress = {});

/// The same for datasets, or for text in the form of the schema without bad rows.
inline MetricsReport evaluate(const std::string& model, const std::vector<std::string>& inputs) {
  return evaluate({.model = model, .inputs = inputs}).metrics;
}

}  // namespace widehash
