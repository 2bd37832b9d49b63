#pragma once

/// \file
/// The class weights in the notes that a training leaves in its model (ModelHeader::training).

#include <string>
#include <vector>

namespace widehash {

/// Key in the settings for the class weights; absent where the training used none.
inline constexpr const char* class_weights_key = "class_weights";

/// Returns the class weights in `notes` (JSON); empty where there are none.
std::vector<double> noted_class_weights(const std::string& notes);
/// The same, but also empty where all weights are equal, since they then change nothing.
std::vector<double> class_weights_in(const std::string& notes);

}  // namespace widehash
