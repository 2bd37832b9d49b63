#pragma once

/// \file
/// A model judged against the labels of a dataset.

#include <widehash/device.hpp>
#include <widehash/metrics.hpp>
#include <widehash/progress.hpp>

#include <string>

namespace widehash {

/// Metrics of `model` over a dataset of the same schema. Throws ConfigError where the schemas differ, saying
/// how, or the dataset has no label; FileError; DataError for a damaged file; DeviceError where the device
/// cannot be used. Cost: one pass over the shards, of which few are in memory at a time.
MetricsReport evaluate(const std::string& model, const std::string& dataset,
                       const ProgressCallback& progress = {}, const Device& device = {});

}  // namespace widehash
