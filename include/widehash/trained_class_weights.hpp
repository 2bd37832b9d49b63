#pragma once

/// \file
/// What a model knows of the class weights that it was trained with.

#include <string>
#include <vector>

namespace widehash {

/// Those of class_weights.hpp, in the order of the classes; empty where all classes weighed the same. Throws FileError,
/// DataError.
std::vector<double> trained_class_weights(const std::string& model);

}  // namespace widehash
