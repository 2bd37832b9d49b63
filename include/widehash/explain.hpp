#pragma once

/// \file
/// Explains a model by the effect of each value on the output.

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
  std::uint64_t top = 10;        // values in each direction, per feature
  std::uint64_t min_count = 10;  // rarer values are left out: their effects are mostly noise
};

struct ValueEffect {
  std::string value;  // a cross as "a × b"; empty: missing
  std::uint64_t count = 0;
  /// Effect on the raw output (log odds for logistic, the logarithm of a count for poisson, the units of the
  /// targets for mse), relative to the mean of the feature over the rows. For an item, it is the mean effect
  /// over the rows that have the item, assuming that items occur independently of each other in rows that
  /// have any.
  double effect = 0;
};

struct FeatureEffects {
  enum class Kind {
    /// The values of the lookup table, and the absence of a value if `missing` is skip.
    values,
    /// The items of a multi-valued feature. Counts are of items; a row may have several.
    items,
    /// A numeric feature with one column: `per_unit` and `transform` replace values.
    number,
    /// The intervals of bucketize. `fit` does not count them, so counts are 0.
    intervals,
  };
  std::string feature;
  Kind kind = Kind::values;
  /// Standard deviation of the effects over the rows that `fit` saw, including rows without a value: how much
  /// the feature matters. For items, it assumes that each occurs independently of the others in rows that
  /// have any: which items share a row is not counted. For intervals, it is over the rows of the training
  /// (ModelSource::column_means); a model saved without column means has no spread, and its effects are not
  /// relative to a mean. Unknown for log1p.
  std::optional<double> spread;
  std::uint64_t num_values = 0;      // in the lookup table, or number of intervals
  std::vector<ValueEffect> lowest;   // ascending
  std::vector<ValueEffect> highest;  // descending
  double per_unit = 0;               // effect of one unit of the encoded value
  NumericTransform transform = NumericTransform::none;
  NumericMoments moments = {};  // of the number as it is in the table
};

/// "values", "items", "intervals" or "number".
const char* to_string(FeatureEffects::Kind kind) noexcept;

/// For a linear model, the effect of a value is the sum of the weights of its columns. With hidden layers, it
/// is the change of the raw output when the value is the only one present; for a number, when its encoded
/// value is 1. Features are sorted by descending spread, those without a spread last; ignored features are
/// left out. For a model with several outputs, one call explains output `output`. `progress` receives
/// features in place of bytes, and values in place of rows. Throws ConfigError if model and tables have
/// different schemas.
std::vector<FeatureEffects> explain(const ExplainOptions& options, std::uint64_t output = 0,
                                    const ProgressCallback& progress = {});

/// Returns the class that an output of a model stands for; empty if the label has no classes.
std::string class_of_output(const std::string& model, std::uint64_t output);

}  // namespace widehash
