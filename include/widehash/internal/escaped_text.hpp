#pragma once

/// \file
/// Bytes of a table as a field of a line that programs read.

#include <string>
#include <string_view>

namespace widehash {

/// Appends `text` with a tab as \t, a backslash as \\ and other control bytes as \xHH, so that it stays on its
/// line and apart from what stands beside it, whatever it holds.
void append_escaped(std::string& out, std::string_view text);

}  // namespace widehash
