#pragma once

/// \file
/// Whether a model and a dataset speak of the same columns, and whether inputs are datasets and have what is asked.
/// Mixing two encodings is an error that says which settings differ.

#include <widehash/dataset.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// What a model trained on `dataset` says of its columns.
ModelSource source_of(const Dataset& dataset, const std::string& schema_toml);

/// Throws ConfigError where `dataset` was not encoded as `source` says. `model_name` is for the message.
void require_same_encoding(const ModelSource& source, const std::string& model_name, const Dataset& dataset);

/// Throws DataError where no row weighs anything, so that there is nothing to `purpose`. Looks no further than the
/// shard of the first that does.
void require_weight(const Dataset& dataset, const char* purpose);

/// Whether `inputs` are folders, and not inputs of text. Throws ConfigError for both together; as is_folder().
bool are_datasets(const std::vector<std::string>& inputs);

/// Throws ConfigError where what PredictOptions and EvaluateOptions say of text is said of a dataset.
void require_no_text_options(const TextForm& form, std::uint64_t max_bad_rows, bool allow_empty,
                             const std::string& dataset);

}  // namespace widehash
