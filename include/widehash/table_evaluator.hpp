#pragma once

/// \file
/// Evaluates a model on rows in memory, batch by batch, as evaluate() does on files.
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

/// For one thread at a time; append() works on the rows in parallel.
class TableEvaluator {
 public:
  /// `predictor` must outlive the evaluator. `max_bad_rows` is the number of bad rows to leave out before
  /// giving up. `by` and `most_values` are as in EvaluateOptions. Throws ConfigError if the model was trained
  /// without a label.
  explicit TableEvaluator(const Predictor& predictor, std::uint64_t max_bad_rows = 0,
                          const std::vector<std::string>& by = {}, std::uint64_t most_values = 1000);
  explicit TableEvaluator(const Predictor&&, std::uint64_t = 0, const std::vector<std::string>& = {},
                          std::uint64_t = 0) = delete;  // the reference would dangle
  ~TableEvaluator();
  TableEvaluator(TableEvaluator&&) noexcept;
  TableEvaluator& operator=(TableEvaluator&&) noexcept;

  /// Evaluates the rows of a table, whose columns are found by name. Throws ConfigError if a field, the
  /// label, the weight or a field of `by` is missing or cannot be read; DataError for the first bad row past
  /// `max_bad_rows`, counted over all tables, and for a label that the model does not have. If it throws,
  /// nothing was added.
  void append(const ColumnTable& table);

  /// Reports on all rows, bit for bit what evaluate() reports for the same rows as text. Throws DataError if
  /// there are no rows or their weight is 0.
  EvaluateReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
