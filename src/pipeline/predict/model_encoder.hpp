#pragma once

/// \file
/// The encoder for rows of the kind that a model was trained on, and how it reads rows to predict.

#include <widehash/encoder.hpp>
#include <widehash/model.hpp>

#include <string>

namespace widehash {

/// Throws ConfigError where the tables in `tables_directory`, of this fingerprint, are not those that the model at the
/// path `model` was trained with.
void require_tables_of(const ModelSource& source, const std::string& model,
                       const std::string& tables_directory, const std::string& tables_fingerprint);

/// Returns the encoder of a model; `model` is its path. Throws ConfigError where the tables in
/// `tables_directory` are not the ones that the model was trained with.
Encoder encoder_of(const ModelSource& source, const std::string& model, const std::string& tables_directory);

/// Returns `binding` without label and weight. Predicting needs neither, so a bad one is no reason to reject a row.
inline FieldBinding without_target(FieldBinding binding) {
  binding.label = binding.weight = FieldBinding::absent;
  return binding;
}

}  // namespace widehash
