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
  /// Requires `settings` that suit the rows to add. Rows of values beyond the first `most_values` are judged together.
  MetricsByValue(std::string field, const MetricsSettings& settings, std::uint64_t most_values);

  /// Adds rows. Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty; `values` has
  /// one entry per row. Requires rows that Metrics::add() accepts. Cost: a few instructions per row, and one
  /// call of Metrics::add() per value.
  void add(const RowValues::Field& values, std::span<const float> predictions, std::span<const float> targets,
           std::span<const float> weights);

  /// Returns the metrics for each value among the rows that were added.
  FieldMetrics report() const;

 private:
  /// Rows that were brought together by value.
  struct Gathered {
    std::vector<float> predictions;
    std::vector<float> targets;
    std::vector<float> weights;
  };

  /// Returns the index of `value` in metrics_, or metrics_.size() for a value beyond the first `most_values_`.
  std::size_t place_of(std::string_view value);

  std::string field_;
  MetricsSettings settings_;
  std::uint64_t most_values_;
  ValueNumbers known_;
  std::vector<Metrics> metrics_;  // indexed by the numbers of known_
  std::optional<Metrics> others_;
  // Buffers of add(), kept for the next block.
  std::vector<std::size_t> places_;  // indexed by the numbers of the block
  std::vector<std::size_t> ends_;    // of the rows of each place
  Gathered gathered_;
};

}  // namespace widehash
