#pragma once

/// \file
/// Whether a model and a dataset speak of the same columns, and whether inputs are datasets and have what is asked.
/// Mixing two encodings is an error that says which settings differ.

#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/model.hpp>
#include <widehash/predict.hpp>

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

/// The first part of what follows.
void require_no_text_form(const TextForm& form, const std::string& dataset);

/// Throws ConfigError where options are of text, and so not of datasets: of PredictOptions or EvaluateOptions.
template <class Options>
void require_no_text_options(const Options& options, const std::string& dataset) {
  require_no_text_form(options.text_form, dataset);
  if (options.max_bad_rows > 0)
    throw ConfigError(dataset +
                      ": is a dataset, whose bad rows its transform has left out; leave --max-bad-rows out");
  if (options.allow_empty)
    throw ConfigError(dataset + ": is a dataset, and --allow-empty is of inputs of text; leave it out");
}

}  // namespace widehash
