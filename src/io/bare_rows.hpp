#pragma once

/// \file
/// Rows of a quoted dialect that have no quotes: each of their line ends ends a row, and it need not be known
/// what stands before them.

#include "range_file.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace widehash::detail {

/// Where the row ends that holds the byte before `target`, or the file, where no quote stands between
/// `begin` and there, or that row is longer than max_row_bytes; nothing where one does. Requires begin <
/// target <= the file's size, and that a row begins at `begin`. `piece` is memory that is used again.
/// Throws FileError; DataError where the file has become shorter. Cost: the bytes are copied from the
/// page cache into the second cache, and looked at once.
std::optional<std::uint64_t> find_end_of_bare_rows(const RangeFile& file, char quote, std::uint64_t begin,
                                                   std::uint64_t target, std::vector<char>& piece);

}  // namespace widehash::detail
