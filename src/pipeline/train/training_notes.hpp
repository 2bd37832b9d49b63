#pragma once

/// \file
/// What a training leaves in its model files for runs that continue from them.

#include <widehash/model.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace widehash {

// Settings are compared by content, since the order of keys does not survive a model file.
using TrainingNotes = nlohmann::json;

/// Reads the notes of a model. Throws DataError where they do not have the types that a training writes.
TrainingNotes read_notes(const std::string& path, const ModelHeader& header);

}  // namespace widehash
