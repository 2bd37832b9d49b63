#pragma once

/// \file
/// What `evaluate --by` reports about the values of each field.

#include "report.hpp"

#include <widehash/evaluate.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash::tools {

/// [{"field", "values": [{"value", ...}], "others": {...} or null}].
Json by_value_json(const std::vector<FieldMetrics>& by);

/// One table per field, preceded by a blank line, with the `top` heaviest values; "" without fields.
std::string by_value_text(const std::vector<FieldMetrics>& by, std::uint64_t top);

}  // namespace widehash::tools
