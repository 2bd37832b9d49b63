#pragma once

/// \file
/// Finds rows of a quoted dialect that have no quotes. Each of their line ends ends a row, and what stands
/// before them need not be known.

#include "range_file.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace widehash::detail {

/// Returns the end of the row that holds the byte before `target`. Returns the end of the file if that row
/// has no line end or is longer than max_row_bytes. Returns nothing if a quote stands between `begin` and
/// the end of that row. Requires begin < target <= the file's size, and that a row begins at `begin`. `piece`
/// is memory that is used again. Throws FileError, or DataError if the file has become shorter. Cost:
/// copies the bytes from the page cache into the L2 cache and looks at them once.
std::optional<std::uint64_t> find_end_of_bare_rows(const RangeFile& file, char quote, std::uint64_t begin,
                                                   std::uint64_t target, std::vector<char>& piece);

}  // namespace widehash::detail
