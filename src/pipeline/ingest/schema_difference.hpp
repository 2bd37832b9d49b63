#pragma once

/// \file
/// In what the schema that lies in a folder differs from the one at hand.

#include <widehash/schema.hpp>

#include <string>

namespace widehash {

/// " (feature 'a': cardinality 10 there, 11 here)", of `folder`/schema.toml; "" where that is not the schema of
/// `fingerprint`, or cannot be read: it only makes a message better.
std::string schema_difference_note(const std::string& folder, const std::string& fingerprint,
                                   const Schema& schema);

}  // namespace widehash
