#pragma once

/// \file
/// A model in the words of the values themselves: what each does to the output.

#include <widehash/progress.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

struct ExplainOptions {
  std::string model;
  std::string tables_directory;
  std::uint64_t top = 10;        // values each way, per feature
  std::uint64_t min_count = 10;  // rarer values are left out: their effect is mostly noise
};

struct ValueEffect {
  std::string value;  // a cross as "a × b"; empty: missing
  std::uint64_t count = 0;
  /// On the raw output (log odds for logistic, the logarithm of a count for poisson, for mse in the units of the
  /// targets), against the mean of the feature over the rows; of an item that of rows that have it, items being taken
  /// to come independently to rows that have any.
  double effect = 0;
};

struct FeatureEffects {
  enum class Kind {
    values,     // of the lookup table, and that a row has none, where `missing` is skipped
    items,      // of a multi-valued feature: counts are of items, of which a row may have several
    number,     // numeric, one column: `per_unit` and `transform` in place of values
    intervals,  // of bucketize, which `fit` does not count, so counts are 0
  };
  std::string feature;
  Kind kind = Kind::values;
  /// Standard deviation of the effects over the rows that `fit` saw, those without a value too: how much the feature
  /// matters. Of items as if each came independently of the others to rows that have any: which of them share a row
  /// is not counted. Of intervals over rows of the training (ModelSource::column_means); a model from before there
  /// were these does not tell, and its effects are not against a mean. Not known of log1p.
  std::optional<double> spread;
  std::uint64_t num_values = 0;      // of the lookup table, or intervals
  std::vector<ValueEffect> lowest;   // ascending
  std::vector<ValueEffect> highest;  // descending
  double per_unit = 0;               // effect of one unit of the encoded value
  NumericTransform transform = NumericTransform::none;
  NumericMoments moments = {};  // of the number as it stands in the table
};

/// "values", "items", "intervals" or "number".
const char* to_string(FeatureEffects::Kind kind) noexcept;

/// For a linear model the effect of a value is the sum of its columns' weights; with hidden layers it is the
/// change of the raw output when the value is the only one present, of a number when its encoded value is 1.
/// Throws ConfigError where model and tables have other schemas. Features come heaviest first, those without
/// a spread last, ignored ones not at all. Models with several outputs: one call explains output `output`.
/// `progress` is given features where it says bytes, and values where it says rows.
std::vector<FeatureEffects> explain(const ExplainOptions& options, std::uint64_t output = 0,
                                    const ProgressCallback& progress = {});

/// The class that an output of a model stands for; empty where the label has no classes.
std::string class_of_output(const std::string& model, std::uint64_t output);

}  // namespace widehash
