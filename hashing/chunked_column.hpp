#pragma once

/// \file
/// A column made of several pieces, one above the other.

#include <widehash/value_column.hpp>

#include <vector>

namespace widehash::detail {

/// Returns the rows of `chunks` in order: a single chunk as it is, and a column without rows if there are no
/// chunks. Throws ShapeError if some chunks hold lists and others single values.
ValueColumnPointer chunked_column(std::vector<ValueColumnPointer> chunks);

}  // namespace widehash::detail
