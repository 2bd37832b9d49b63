#pragma once

/// \file
/// One line that sums up an audit, for readers who do not want to interpret chi-squares.

#include <widehash/audit.hpp>

#include <string>

namespace widehash {

struct Verdict {
  bool is_fine = true;
  std::string text;
};

/// Judges an audit. With good hashing, about one feature in a billion is flagged by chance.
Verdict judge(const FeatureAudit& audit);

}  // namespace widehash
