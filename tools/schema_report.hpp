#pragma once

/// \file
/// What a schema says, for people and for machines.

#include "report.hpp"

#include <widehash/schema.hpp>

#include <string>

namespace widehash::tools {

/// An object with the keys of `label` in `inspect --json`; null without one.
Json label_json(const Label& label);
/// Sets `weight`: the field, or null.
void set_weight(Json& object, const Schema& schema);
/// "late: positive 1; negative 0"; "none".
std::string label_text(const Label& label);
/// "13: month, day, ..."; those that are ignored are not among them.
std::string features_text(const Schema& schema);

}  // namespace widehash::tools
