#pragma once

/// \file
/// The metrics of the rows of each value of a field.

#include "row_values.hpp"

#include <widehash/evaluate.hpp>
#include <widehash/metrics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class MetricsByValue {
 public:
  /// Of rows that `settings` suit. `most_values`: rows of further values are judged together.
  MetricsByValue(std::string field, const MetricsSettings& settings, std::uint64_t most_values);

  /// Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty. A row of `values` each. Requires:
  /// rows that Metrics::add() takes. Cost: a few instructions a row, and a call of Metrics::add() for each value.
  void add(const RowValues::Field& values, std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  /// Of values of rows that were added.
  FieldMetrics report() const;

 private:
  /// Rows that were brought together.
  struct Gathered {
    std::vector<float> predictions;
    std::vector<float> targets;
    std::vector<float> weights;
  };

  /// In metrics_; of values beyond the most the place behind all.
  std::size_t place_of(std::string_view value);

  std::string field_;
  MetricsSettings settings_;
  std::uint64_t most_values_;
  ValueNumbers known_;
  std::vector<Metrics> metrics_;  // by the numbers of known_
  std::optional<Metrics> others_;
  // Memory of add(), kept for the next block.
  std::vector<std::size_t> places_;  // by the numbers of the block
  std::vector<std::size_t> ends_;    // of the rows of each place
  Gathered gathered_;
};

}  // namespace widehash
