#pragma once

/// \file
/// Computes the metrics of rows that arrive a few at a time: overall, and by the values of fields.

#include "metrics_by_value.hpp"

#include <widehash/architecture.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/metrics.hpp>
#include <widehash/schema.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash {

class RowJudge {
 public:
  /// `source` says in errors whose rows they are. `by` and `most_values` are as in EvaluateOptions.
  /// `keeps_losses` keeps the losses of all rows, for loss_difference().
  RowJudge(const Architecture& architecture, const Label& label, std::string source,
           const std::vector<std::string>& by, std::uint64_t most_values, bool keeps_losses = false);

  /// Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty; `values` has one entry
  /// for each field of `by`. Throws what Metrics::add() throws.
  void add(std::span<const float> predictions, std::span<const float> targets, std::span<const float> weights,
           std::span<const RowValues::Field> values);

  /// Throws DataError where no rows were added, or where their weights add up to 0.
  EvaluateReport report(std::uint64_t rejected_rows) const;

 private:
  std::string source_;
  Metrics metrics_;
  std::vector<MetricsByValue> by_;
};

}  // namespace widehash
