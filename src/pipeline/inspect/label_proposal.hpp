#pragma once

/// \file
/// Proposes a label from the values that its field was found to hold.

#include "field_census.hpp"

#include <widehash/schema.hpp>

#include <string>
#include <vector>

namespace widehash {

struct LabelProposal {
  Label label;
  /// One sentence each: what was chosen, what else may have been meant, and what happens to rows without a
  /// label.
  std::vector<std::string> notes;
};

/// The numbers 0 and 1, and amounts, are used as they are. Two other values become negative and positive.
/// Three to twenty consecutive whole numbers from 0 or 1, and texts, become classes. Missing markers are
/// neither. Throws ConfigError where the values are text and not a small set, or are not UTF-8.
LabelProposal propose_label(const FieldCensus& census);

}  // namespace widehash
