#pragma once

/// \file
/// A label to start from, proposed from the values that its field was found to hold.

#include "field_census.hpp"

#include <widehash/schema.hpp>

#include <string>
#include <vector>

namespace widehash {

struct LabelProposal {
  Label label;
  /// What was chosen, what else may have been meant, and what becomes of rows without a label: a sentence
  /// each.
  std::vector<std::string> notes;
};

/// Numbers that are 0 and 1, or amounts, are taken as they are. Two other values become negative and
/// positive. Whole numbers that count from 0 or 1 up to no more than 20, and texts, become classes. Missing
/// markers are neither. Throws ConfigError where the values are text and not a small set.
LabelProposal propose_label(const FieldCensus& census);

}  // namespace widehash
