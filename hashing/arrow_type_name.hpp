#pragma once

/// \file
/// What users call a type of Arrow.

#include <widehash/arrow.hpp>

#include <string>

namespace widehash::detail {

/// The name that Arrow's libraries print for the type of `field`: "timestamp[us, tz=UTC]", "list<int64>". The
/// format string of the C data interface itself where it has no name here.
std::string arrow_type_name(const ArrowSchema& field);

}  // namespace widehash::detail
