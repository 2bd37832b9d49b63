#pragma once

/// \file
/// Decides whether the first row of a table names its fields.

#include "sample_reading.hpp"

#include <string>
#include <vector>

namespace widehash::detail {

/// Whether the first row holds names of fields, one of which may occur twice. Requires: there is a row.
bool looks_like_header(const SampleReading& reading);

/// Returns a name that occurs twice; empty if none does.
std::string repeated_name(const std::vector<std::string>& names);

}  // namespace widehash::detail
