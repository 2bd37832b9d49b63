#pragma once

/// \file
/// The metrics of predictions over a dataset, shard by shard in the order of the manifest.

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>
#include <widehash/metrics.hpp>
#include <widehash/model.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace widehash {

/// Writes the predictions of `rows`, [rows x outputs].
using Predictor = std::function<void(const CodeBatchView& rows, std::span<float> predictions)>;

/// That of a model, which must outlive it. One thread at a time.
Predictor predictor_of(const Model<float>& model);

/// Calls use(rows, predictions [rows x outputs]) for consecutive rows of the dataset. Shards are verified.
void for_each_prediction(const Predictor& predict, std::uint32_t outputs, const Dataset& dataset,
                         const std::function<void(const CodeBatchView&, std::span<const float>)>& use,
                         const ProgressCallback& progress);

/// What `predict` is worth as a network of `architecture`. Throws ConfigError where the dataset has no label.
MetricsReport dataset_metrics(const Predictor& predict, const Architecture& architecture,
                              const Dataset& dataset, const ProgressCallback& progress);

}  // namespace widehash
