#pragma once

/// \file
/// The metrics of a network over a dataset, shard by shard in the order of the manifest.

#include <widehash/code_batch.hpp>
#include <widehash/dataset.hpp>
#include <widehash/metrics.hpp>
#include <widehash/network.hpp>
#include <widehash/progress.hpp>

#include <cstdint>
#include <functional>
#include <span>

namespace widehash {

/// Calls use(rows, predictions [rows x outputs]) for consecutive rows of the dataset. Shards are verified.
void for_each_prediction(const Network<float>& network, const Dataset& dataset,
                         const std::function<void(const CodeBatchView&, std::span<const float>)>& use,
                         const ProgressCallback& progress);

/// Throws ConfigError where the dataset has no label.
MetricsReport dataset_metrics(const Network<float>& network, const Dataset& dataset,
                              const ProgressCallback& progress);

}  // namespace widehash
