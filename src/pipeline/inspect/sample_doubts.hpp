#pragma once

/// \file
/// What speaks against taking a file for a text table, where its bytes can be read as one.

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Of the beginning of a file: why it may be no table, a sentence each: rows of JSON, bytes that text seldom
/// has. None of them is certain.
std::vector<std::string> doubts_about(std::string_view sample, char delimiter);

/// Whether its lines end in carriage returns alone, which would make one row of all of it.
bool has_bare_returns(std::string_view sample);

}  // namespace widehash
