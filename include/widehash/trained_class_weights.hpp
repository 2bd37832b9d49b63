#pragma once

/// \file
/// The class weights that a model was trained with.

#include <string>
#include <vector>

namespace widehash {

/// Returns weights as in class_weights.hpp, in the order of the classes; empty if all classes had the same
/// weight. Throws FileError, DataError.
std::vector<double> trained_class_weights(const std::string& model);

}  // namespace widehash
