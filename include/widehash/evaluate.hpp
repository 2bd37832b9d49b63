#pragma once

/// \file
/// A model judged against the labels of rows.

#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/predict.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
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
};

struct EvaluateReport {
  MetricsReport metrics;
  std::uint64_t rejected_rows =
      0;  // left out: bad ones of text, or those that the transform of a dataset left out
};

/// Metrics of the model over all rows. Those of text are, to the last bit, those of the dataset that transform() makes
/// of it. Throws ConfigError where the schemas differ, saying how, or there is no label; FileError; DataError for a
/// damaged file, a bad row too many and rows that weigh nothing; DeviceError where the device cannot be used. Cost: one
/// pass over the rows, of which few are in memory at a time.
EvaluateReport evaluate(const EvaluateOptions& options, const ProgressCallback& progress = {});

/// Of datasets, or text in the form of the schema without bad rows.
inline MetricsReport evaluate(const std::string& model, const std::vector<std::string>& inputs) {
  return evaluate({.model = model, .inputs = inputs}).metrics;
}

}  // namespace widehash
