#pragma once

/// \file
/// Text whose lines end in carriage returns alone, so that the whole text would be read as one row.

#include <algorithm>
#include <span>
#include <string>

namespace widehash {

inline constexpr const char* bare_returns_problem =
    "its lines end in carriage returns alone, as some spreadsheets write them, so it would be one single "
    "row; read it with `tr '\\r' '\\n' < FILE | widehash ... -`";

/// Whether a name in a header continues after a carriage return that is not part of a line end.
inline bool hold_bare_returns(std::span<const std::string> names) {
  return std::ranges::any_of(names, [](const std::string& name) {
    const std::size_t at = name.find('\r');
    return at != std::string::npos && at + 1 < name.size() && name[at + 1] != '\n';
  });
}

}  // namespace widehash
