#pragma once

/// \file
/// Whether a model, a dataset and tables speak of the same columns. Mixing two encodings is an error that
/// says which settings differ.

#include <widehash/dataset.hpp>
#include <widehash/model.hpp>

#include <string>

namespace widehash {

/// What a model trained on `dataset` says of its columns.
ModelSource source_of(const Dataset& dataset, const std::string& schema_toml);

/// Throws ConfigError where `dataset` was not encoded as `source` says. `model_name` is for the message.
void require_same_encoding(const ModelSource& source, const std::string& model_name, const Dataset& dataset);

}  // namespace widehash
