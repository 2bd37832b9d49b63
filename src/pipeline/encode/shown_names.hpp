#pragma once

#include <span>
#include <string>

namespace widehash {

/// The names of fields for a message: the first ones, separated by commas, and the total count where there
/// are more than can be read.
std::string shown_names(std::span<const std::string> names);

}  // namespace widehash
