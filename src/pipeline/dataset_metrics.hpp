#pragma once

/// \file
/// The metrics of a network over a dataset, shard by shard in the order of the manifest.

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>
#include <widehash/metrics.hpp>
#include <widehash/network.hpp>
#include <widehash/predict.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace widehash {

/// Consecutive rows of a dataset and what the network says of them.
struct PredictedRows {
  const CodeBatchView& rows;
  std::span<const float> predictions;  // [rows x outputs]
  std::string_view text;               // what PredictionText made of them
};
using PredictionUse = std::function<void(const PredictedRows&)>;

/// Calls `use` for the rows of one shard after another, in order, one call at a time. Shards are verified and predicted
/// side by side, and so is `text` called, which may be empty. A shard and its predictions per thread are in memory.
void for_each_prediction(const Network<float>& network, const Dataset& dataset, const PredictionText& text,
                         const PredictionUse& use, const ProgressCallback& progress);

/// Throws ConfigError where the dataset has no label.
MetricsReport dataset_metrics(const Network<float>& network, const Dataset& dataset,
                              const ProgressCallback& progress);

}  // namespace widehash
