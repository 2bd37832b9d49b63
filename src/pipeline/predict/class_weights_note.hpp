#pragma once

/// \file
/// The class weights in the notes that a training leaves in its model (ModelHeader::training).

#include <string>
#include <vector>

namespace widehash {

/// Of the settings: what rows count for by their class, where not all count the same.
inline constexpr const char* class_weights_key = "class_weights";

/// Of notes as JSON; empty where there are none.
std::vector<double> noted_class_weights(const std::string& notes);
/// The same, but empty where all are the same, too: they change nothing.
std::vector<double> class_weights_in(const std::string& notes);

}  // namespace widehash
