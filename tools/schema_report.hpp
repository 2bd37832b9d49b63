#pragma once

/// \file
/// Descriptions of a schema, for people and for machines.

#include "report.hpp"

#include <widehash/schema.hpp>

#include <string>

namespace widehash::tools {

/// Returns an object with the keys of `label` in `inspect --json`; null without a label.
Json label_json(const Label& label);
/// Sets `weight` to the name of the weight field, or to null.
void set_weight(Json& object, const Schema& schema);
/// "late: positive 1; negative 0"; "none" without a label.
std::string label_text(const Label& label);
/// "13: month, day, ..."; features that are ignored are left out.
std::string features_text(const Schema& schema);

}  // namespace widehash::tools
