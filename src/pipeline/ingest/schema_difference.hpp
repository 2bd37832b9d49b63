#pragma once

/// \file
/// How the schema in a folder differs from the current one.

#include <widehash/schema.hpp>

#include <string>

namespace widehash {

/// A note such as " (feature 'a': cardinality 10 there, 11 here)", from `folder`/schema.toml; "" where that
/// schema does not have `fingerprint` or cannot be read, because the note only improves a message.
std::string schema_difference_note(const std::string& folder, const std::string& fingerprint,
                                   const Schema& schema);

}  // namespace widehash
