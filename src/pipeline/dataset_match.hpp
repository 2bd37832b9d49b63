#pragma once

/// \file
/// Whether a model, a dataset and tables speak of the same columns. Mixing two encodings is an error that
/// says which settings differ.

#include <widehash/dataset.hpp>
#include <widehash/lookup_table.hpp>
#include <widehash/model.hpp>

#include <cstddef>
#include <string>

namespace widehash {

/// What a model trained on `dataset` says of its columns.
ModelSource source_of(const Dataset& dataset, const std::string& schema_toml);

/// Throws ConfigError where `dataset` was not encoded as `source` says. `model_name` is for the message.
void require_same_encoding(const ModelSource& source, const std::string& model_name, const Dataset& dataset);

/// Opens the lookup table of the feature at that position. Throws DataError where the file is not the one
/// that the set was written with: a `fit` that was killed leaves new tables beside the old set.
LookupTable open_table(const TableSet& set, std::size_t feature);

}  // namespace widehash
