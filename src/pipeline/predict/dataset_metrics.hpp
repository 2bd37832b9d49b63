#pragma once

/// \file
/// The metrics of predictions over a dataset, shard by shard in the order of the manifest.

#include "placed_model.hpp"

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>
#include <widehash/metrics.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace widehash {

/// Consecutive rows of a dataset and what a model says of them.
struct PredictedRows {
  const CodeBatchView& rows;
  std::span<const float> predictions;  // [rows x outputs]
  std::string_view text;               // what PredictionText made of them
};
using PredictionUse = std::function<void(const PredictedRows&)>;

/// Calls `use` for the rows of one shard after another, in order, one call at a time, and for those of a
/// shard whose predictions are very many a piece at a time. Shards are verified and predicted side by side,
/// and so is `text` called, which may be empty. A shard and the predictions of a piece per thread are in
/// memory.
void for_each_prediction(const PlacedModel& model, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress);

/// Writes the predictions of `rows`, [rows x outputs].
using PredictSlice = std::function<void(const CodeBatchView& rows, std::span<float> predictions)>;

/// The same for a predictor that takes one call at a time, a slice of a shard of so many rows each: one that
/// other ranks take part in.
void for_each_prediction(const PredictSlice& predict, std::size_t rows_per_call, std::uint32_t outputs,
                         const Dataset& dataset, const PredictionUse& use, const ProgressCallback& progress);

/// For rows of `source` with this label.
MetricsSettings metrics_settings(const Architecture& architecture, const Label& label,
                                 const std::string& source);

/// What `model` is worth on the rows; with their losses, where these are to be kept. Throws ConfigError where the
/// dataset has no label.
MetricsReport dataset_metrics(const PlacedModel& model, const Dataset& dataset, bool keeps_losses,
                              const ProgressCallback& progress);

/// What `predict` is worth as a network of `architecture`, without a confusion matrix. Throws ConfigError where
/// the dataset has no label.
MetricsReport dataset_metrics(const PredictSlice& predict, std::size_t rows_per_call,
                              const Architecture& architecture, const Dataset& dataset,
                              const ProgressCallback& progress);

}  // namespace widehash
