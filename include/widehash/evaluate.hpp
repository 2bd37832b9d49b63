#pragma once

/// \file
/// A model judged against the labels of datasets.

#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/progress.hpp>

#include <string>
#include <vector>

namespace widehash {

/// Metrics of `model` over the rows of all `datasets`, of its schema, which are joined as join_datasets() does.
/// Throws ConfigError where the schemas differ, saying how, or the datasets have no label; FileError; DataError
/// for a damaged file; DeviceError where the device cannot be used. `undo_class_weights`: as PredictOptions.
/// Cost: one pass over the shards, of which few are in memory at a time.
MetricsReport evaluate(const std::string& model, const std::vector<std::string>& datasets,
                       const ProgressCallback& progress = {}, const Device& device = {},
                       bool undo_class_weights = false);

}  // namespace widehash
