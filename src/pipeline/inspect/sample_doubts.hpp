#pragma once

/// \file
/// Evidence that a file is not a text table, although its bytes can be read as one.

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Why the file that begins with `sample` may not be a table, a sentence each: rows of JSON, bytes that text
/// rarely has. None of this is certain.
std::vector<std::string> doubts_about(std::string_view sample, char delimiter);

/// Whether the lines of `sample` end in carriage returns alone, so that all of it would be read as one row.
bool has_bare_returns(std::string_view sample);

}  // namespace widehash
