#pragma once

/// \file
/// A column that lies in several pieces, one above the other.

#include <widehash/value_column.hpp>

#include <vector>

namespace widehash::detail {

/// The rows of `chunks` in order. Throws ShapeError where some chunks hold lists and others one value a row.
/// One chunk is itself; of none there are no rows.
ValueColumnPointer chunked_column(std::vector<ValueColumnPointer> chunks);

}  // namespace widehash::detail
