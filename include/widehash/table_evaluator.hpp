#pragma once

/// \file
/// A model judged by rows in memory, batch by batch: what evaluate() does with files.
///
///     const widehash::Predictor predictor("clicks.model");
///     widehash::TableEvaluator evaluator(predictor);
///     for (const widehash::ColumnTable& batch : batches) evaluator.append(batch);
///     const double auc = evaluator.report().metrics.auc.value();

#include <widehash/column_table.hpp>
#include <widehash/evaluate.hpp>
#include <widehash/predictor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash {

/// One thread at a time; append() works on the rows side by side.
class TableEvaluator {
 public:
  /// `predictor` must outlive it. `max_bad_rows`: rows to leave out before giving up. `by`, `most_values`: as
  /// EvaluateOptions. Throws ConfigError where the model was trained without a label.
  explicit TableEvaluator(const Predictor& predictor, std::uint64_t max_bad_rows = 0,
                          const std::vector<std::string>& by = {}, std::uint64_t most_values = 1000);
  explicit TableEvaluator(const Predictor&&, std::uint64_t = 0, const std::vector<std::string>& = {},
                          std::uint64_t = 0) = delete;  // it would be gone
  ~TableEvaluator();
  TableEvaluator(TableEvaluator&&) noexcept;
  TableEvaluator& operator=(TableEvaluator&&) noexcept;

  /// Judges by the rows of a table, whose columns are found by their names. Throws ConfigError where a field, the
  /// label, the weight or a field of `by` is missing or cannot be read; DataError for the row that is one bad row too
  /// many, counted over all tables, and for a label that the model does not have. Then nothing was added.
  void append(const ColumnTable& table);

  /// Of all rows: to the last bit what evaluate() says of them as text. Throws DataError where there are none, or they
  /// weigh nothing.
  EvaluateReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
