#pragma once

/// \file
/// What predictions are worth over rows that come a few at a time: on the whole, and by values of fields.

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
  /// `source` is whose rows they are, for errors. `by`, `most_values`: as EvaluateOptions. `keeps_losses`: of all rows,
  /// for loss_difference().
  RowJudge(const Architecture& architecture, const Label& label, std::string source,
           const std::vector<std::string>& by, std::uint64_t most_values, bool keeps_losses = false);

  /// Shapes: predictions [rows x outputs], targets [rows], weights [rows] or empty; a field of `values` for each of
  /// `by`. Throws as Metrics::add().
  void add(std::span<const float> predictions, std::span<const float> targets, std::span<const float> weights,
           std::span<const RowValues::Field> values);

  /// Throws DataError where there were no rows, or they weigh nothing.
  EvaluateReport report(std::uint64_t rejected_rows) const;

 private:
  std::string source_;
  Metrics metrics_;
  std::vector<MetricsByValue> by_;
};

}  // namespace widehash
