#pragma once

/// \file
/// A model judged against the labels of rows.

#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/predict.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

struct EvaluateOptions {
  std::string model;
  /// Folders of datasets of its encoding, joined as join_datasets() does, or text inputs; with labels, and weights
  /// where the schema has them.
  std::vector<std::string> inputs;
  std::string tables_directory = {};  // text inputs of a schema that needs tables
  Device device = {};                 // that predicts
  bool undo_class_weights = false;    // as PredictOptions
  std::uint64_t max_bad_rows = 0;     // of text inputs, which are left out, before giving up
  TextForm text_form = {};            // as PredictOptions
  bool allow_empty = false;           // a text input without a byte has no rows, as in TransformOptions
  /// Fields of text inputs whose values rows are judged by, too; the schema need not speak of them. ConfigError for
  /// datasets.
  std::vector<std::string> by = {};
  /// Another model to judge by the same rows; "": none. It may be of another schema where these are text, but for the
  /// label and the weight.
  std::string against = {};
  /// Of a field of `by` that are judged on their own, the first ones; the rows of all others are judged together.
  std::uint64_t most_values = 1000;
};

/// Of the rows that hold one value.
struct ValueMetrics {
  std::string value;
  MetricsReport metrics;  // without a confusion matrix; classes have no names
};

/// Of the rows by what they hold in one field.
struct FieldMetrics {
  std::string field;
  std::vector<ValueMetrics> values = {};     // heaviest first, of equal ones what came first
  std::optional<MetricsReport> others = {};  // of all values behind the first `most_values`
};

/// What a model is worth beside another one on the same rows.
struct Comparison {
  MetricsReport metrics;  // of the other
  double difference = 0;  // of the figure of judged_by(), the model's less the other's
  std::optional<double>
      standard_error;  // of the difference (loss_blocks.hpp); none where one row is all there is
};

struct EvaluateReport {
  MetricsReport metrics;
  /// Left out: bad ones of text, or those that the transform of a dataset left out.
  std::uint64_t rejected_rows = 0;
  std::vector<FieldMetrics> by = {};  // in the order of EvaluateOptions::by
  std::optional<Comparison> against = {};
};

/// Metrics of the model over all rows. Those of text are, to the last bit, those of the dataset that transform() makes
/// of it. Throws ConfigError where the schemas differ, saying how, or there is no label; FileError; DataError for a
/// damaged file, a bad row too many and rows that weigh nothing; DeviceError where the device cannot be used. Cost: one
/// pass over the rows, of which few are in memory at a time; for each value of `by` up to 1 MB. What is said of a
/// value is, to the last bit, what is said of a table of its rows, but that the AUC of more than 32,768 rows has an
/// error bound. With `against` there are two passes; ConfigError where the inputs hold the standard input, or the other
/// model predicts another kind of thing or takes other rows.
EvaluateReport evaluate(const EvaluateOptions& options, const ProgressCallback& progress = {});

/// Of datasets, or text in the form of the schema without bad rows.
inline MetricsReport evaluate(const std::string& model, const std::vector<std::string>& inputs) {
  return evaluate({.model = model, .inputs = inputs}).metrics;
}

}  // namespace widehash
