#pragma once

/// \file
/// One line on what an audit found, for people who do not read chi-squares.

#include <widehash/audit.hpp>

#include <string>

namespace widehash {

struct Verdict {
  bool is_fine = true;
  std::string text;
};

/// With good hashing about one feature in a thousand million is called out by chance.
Verdict judge(const FeatureAudit& audit);

}  // namespace widehash
