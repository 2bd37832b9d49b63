#pragma once

/// \file
/// What the user should know about fields before freezing a proposed schema.

#include "field_census.hpp"
#include "schema_proposal.hpp"

#include <widehash/inspect.hpp>

#include <string>
#include <vector>

namespace widehash {

/// The names as a note shows them: the first few, which is enough to recognize them.
std::string named_fields(const std::vector<std::string>& names);

/// Adds to report.notes what report.fields, report.schema and the values in the census give reason to say.
/// Requires that report.schema has its features.
void add_field_notes(const std::vector<FieldCensus>& census, const FieldRoles& roles, InspectReport& report);

}  // namespace widehash
