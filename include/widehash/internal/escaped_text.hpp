#pragma once

/// \file
/// Escapes bytes of a table for a field of a line that programs read.

#include <string>
#include <string_view>

namespace widehash {

/// Appends `text` with a tab as \t, a backslash as \\ and other control bytes as \xHH, so that whatever it
/// holds, it stays on its line and separate from its neighbours.
void append_escaped(std::string& out, std::string_view text);

}  // namespace widehash
