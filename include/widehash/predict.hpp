#pragma once

/// \file
/// What a trained model says: judged against labels, for new rows, and in the words of the values themselves.

#include <widehash/device.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/metrics.hpp>
#include <widehash/progress.hpp>
#include <widehash/read_places.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Metrics of `model` over a dataset of the same schema. Throws ConfigError where the schemas differ, saying how;
/// DeviceError where the device cannot be used. One device predicts; of a list, the first.
MetricsReport evaluate(const std::string& model, const std::string& dataset,
                       const ProgressCallback& progress = {}, const Device& device = {});

struct PredictOptions {
  std::string model;
  std::vector<std::string> inputs;  // one dataset folder, or text inputs
  std::string tables_directory;     // text inputs of a schema that needs tables
  Device device = {};               // that predicts
  std::uint64_t max_bad_rows = 0;   // of text inputs, before giving up
  std::string rejected_path = {};   // list of the bad rows that were left out; empty for none
};

/// What predict() reads; whoever writes its answer to a file asks require_apart() first. Throws as expand_inputs().
ReadPlaces places_read(const PredictOptions& options);

struct PredictReport {
  std::uint64_t rows = 0;     // predicted
  std::uint64_t outputs = 1;  // per row
  /// Rows without a prediction. Those of text inputs are NaN in their places; those that the transform of a dataset left
  /// out have none.
  std::uint64_t rejected_rows = 0;
  std::uint64_t lines = 0;  // given to the sink: the rows, and the rejected ones of text
  std::string rejected_file =
      {};  // that lists them; "" where nothing was rejected, or where there is no list
};

/// Text of the predictions of some rows [rows x outputs].
using PredictionText = std::function<std::string(std::span<const float> predictions, std::size_t outputs)>;

/// Calls `sink` with the text of the predictions of consecutive rows, in input order, one call at a time; `text` is called
/// side by side. Otherwise as below.
PredictReport predict(const PredictOptions& options, const PredictionText& text,
                      const std::function<void(std::string_view)>& sink,
                      const ProgressCallback& progress = {});

/// Calls `sink` with the predictions of consecutive rows, rows x outputs, in input order. One prediction per row of text is
/// the promise: a bad row is NaN, and past `max_bad_rows` a DataError.
PredictReport predict(const PredictOptions& options, const std::function<void(std::span<const float>)>& sink,
                      const ProgressCallback& progress = {});

struct ExplainOptions {
  std::string model;
  std::string tables_directory;
  std::uint64_t top = 10;        // values each way, per feature
  std::uint64_t min_count = 10;  // rarer values are left out: their effect is mostly noise
};

struct ValueEffect {
  std::string value;  // a cross as "a × b"; empty: missing
  std::uint64_t count = 0;
  /// On the raw output (log odds for logistic, for mse in the units of the targets), against the feature's count-weighted mean.
  double effect = 0;
};

struct FeatureEffects {
  enum class Kind {
    values,     // of the lookup table
    number,     // numeric, one column: `per_unit` and `transform` in place of values
    intervals,  // of bucketize: `fit` does not count them, so counts are 0 and effects are not against a mean
  };
  std::string feature;
  Kind kind = Kind::values;
  /// Standard deviation of the effects over the rows that `fit` saw: how much the feature matters. Not known of intervals
  /// and of log1p.
  std::optional<double> spread;
  std::uint64_t num_values = 0;
  std::vector<ValueEffect> lowest;   // ascending
  std::vector<ValueEffect> highest;  // descending
  double per_unit = 0;               // effect of one unit of the encoded value
  NumericTransform transform = NumericTransform::none;
  NumericMoments moments = {};  // of the number as it stands in the table
};

/// For a linear model the effect of a value is the sum of its columns' weights; with hidden layers it is the change of the
/// raw output when the value is the only one present, of a number when its encoded value is 1. Throws ConfigError where
/// model and tables have other schemas. Features come heaviest first, those without a spread last, ignored ones not at
/// all. Models with several outputs: one call explains output `output`.
std::vector<FeatureEffects> explain(const ExplainOptions& options, std::uint64_t output = 0);

/// The class that an output of a model stands for; empty where the label has no classes.
std::string class_of_output(const std::string& model, std::uint64_t output);

}  // namespace widehash
