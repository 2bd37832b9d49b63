#pragma once

/// \file
/// Counts line ends and blank lines, a vector at a time.

#include <cstdint>
#include <string_view>

namespace widehash::detail {

struct LineCount {
  std::uint64_t lines = 0;  // LFs
  std::uint64_t blank = 0;  // LFs with nothing but perhaps a CR since the LF before
};

/// Counts the line ends in text[2..]; the first two bytes are only looked back at. Cost: O(bytes), several
/// bytes a cycle.
LineCount count_line_ends(std::string_view text) noexcept;

}  // namespace widehash::detail
