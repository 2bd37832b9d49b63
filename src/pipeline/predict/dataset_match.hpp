#pragma once

/// \file
/// Checks whether a model and a dataset use the same columns, and whether inputs are datasets that can do
/// what is asked of them. Mixing two encodings is an error that says which settings differ.

#include <widehash/dataset.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

/// Returns what a model trained on `dataset` records about its columns.
ModelSource source_of(const Dataset& dataset, const std::string& schema_toml);

/// Throws ConfigError where `dataset` was not encoded as `source` says. The message names `model_name`.
void require_same_encoding(const ModelSource& source, const std::string& model_name, const Dataset& dataset);

/// Throws DataError where every row weighs 0, so that there is nothing to `purpose`. Reads shards only up to
/// the first row that weighs anything.
void require_weight(const Dataset& dataset, const char* purpose);

/// Returns whether `inputs` are folders rather than text inputs. Throws ConfigError for a mix of both;
/// otherwise throws what is_folder() throws.
bool are_datasets(const std::vector<std::string>& inputs);

/// Throws ConfigError where options of PredictOptions or EvaluateOptions that are only for text are given for
/// a dataset.
void require_no_text_options(const TextForm& form, std::uint64_t max_bad_rows, bool allow_empty,
                             const std::string& dataset);

}  // namespace widehash
