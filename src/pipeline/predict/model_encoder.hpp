#pragma once

/// \file
/// The encoder of the rows that a model was trained on.

#include <widehash/encoder.hpp>
#include <widehash/model.hpp>

#include <string>

namespace widehash {

/// `model` is its path. Throws ConfigError where the tables in `tables_directory` are not those that the
/// model was trained with.
Encoder encoder_of(const ModelSource& source, const std::string& model, const std::string& tables_directory);

}  // namespace widehash
