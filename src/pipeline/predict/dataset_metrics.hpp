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

/// Consecutive rows of a dataset and a model's predictions for them.
struct PredictedRows {
  const CodeBatchView& rows;
  std::span<const float> predictions;  // [rows x outputs]
  std::string_view text;               // what PredictionText returned for them
};
using PredictionUse = std::function<void(const PredictedRows&)>;

/// Calls `use` for the rows of all shards in order, one call at a time: once per shard, or once per piece
/// where a shard has very many predictions. Shards are verified and predicted concurrently; `text`, which may
/// be empty, is called concurrently too. Memory: one shard and the predictions of one piece per thread.
void for_each_prediction(const PlacedModel& model, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress);

/// Writes the predictions for `rows`, [rows x outputs].
using PredictSlice = std::function<void(const CodeBatchView& rows, std::span<float> predictions)>;

/// The same for a predictor that takes one call at a time because other ranks take part in it. Each call gets
/// at most `rows_per_call` rows of one shard.
void for_each_prediction(const PredictSlice& predict, std::size_t rows_per_call, std::uint32_t outputs,
                         const Dataset& dataset, const PredictionUse& use, const ProgressCallback& progress);

/// Returns the settings for metrics of rows of `source` with this label.
MetricsSettings metrics_settings(const Architecture& architecture, const Label& label,
                                 const std::string& source);

/// Returns the metrics of `model` over the rows of `dataset`, with the losses of the rows where
/// `keeps_losses`. Throws ConfigError where the dataset has no label.
MetricsReport dataset_metrics(const PlacedModel& model, const Dataset& dataset, bool keeps_losses,
                              const ProgressCallback& progress);

/// Returns the metrics of `predict`, a network of `architecture`, without a confusion matrix. Throws
/// ConfigError where the dataset has no label.
MetricsReport dataset_metrics(const PredictSlice& predict, std::size_t rows_per_call,
                              const Architecture& architecture, const Dataset& dataset,
                              const ProgressCallback& progress);

}  // namespace widehash
