#pragma once

/// \file
/// Names of Arrow types for users.

#include <widehash/arrow.hpp>

#include <string>

namespace widehash::detail {

/// Returns the name that Arrow's libraries print for the type of `field`: "timestamp[us, tz=UTC]",
/// "list<int64>". Returns the format string of the C data interface if the type has no name here.
std::string arrow_type_name(const ArrowSchema& field);

}  // namespace widehash::detail
