#pragma once

/// \file
/// What a training leaves in its model files for who goes on from them.

#include <widehash/model.hpp>

#include <string>

#include <nlohmann/json.hpp>

namespace widehash {

// Settings are compared by what they say: the order of keys does not survive a model file.
using TrainingNotes = nlohmann::json;

/// The notes of a model. Throws DataError where they are not of the types that a training writes.
TrainingNotes read_notes(const std::string& path, const ModelHeader& header);

}  // namespace widehash
