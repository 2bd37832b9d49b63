#pragma once

/// \file
/// The encoder of the rows that a model was trained on, and how rows to predict are read by it.

#include <widehash/encoder.hpp>
#include <widehash/model.hpp>

#include <string>

namespace widehash {

/// `model` is its path. Throws ConfigError where the tables in `tables_directory` are not those that the
/// model was trained with.
Encoder encoder_of(const ModelSource& source, const std::string& model, const std::string& tables_directory);

/// A label or a weight that happens to be there is not needed to predict, so a bad one is no reason to refuse the row.
inline FieldBinding without_target(FieldBinding binding) {
  binding.label = binding.weight = FieldBinding::absent;
  return binding;
}

}  // namespace widehash
