#pragma once

/// \file
/// One line on what an audit found, for people who do not read chi-squares.

#include <widehash/audit.hpp>

#include <string>

namespace widehash::tools {

struct Verdict {
  bool is_fine = true;
  std::string text;
};

Verdict judge(const FeatureAudit& audit);

}  // namespace widehash::tools
