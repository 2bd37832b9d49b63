#pragma once

/// \file
/// Rows behind the rows that are there, in memory and on disk.

#include <widehash/code_batch.hpp>

#include <string>

namespace widehash::detail {

/// Throws ShapeError, which begins with `what`, where `from` is not of the layout or its arrays are not as
/// long as that says.
void require_appendable(const CodeBatchView& from, const CodeLayout& layout, const std::string& what);

/// Appends the rows of `from`, which are appendable, to every array of `to` but its codes.
void append_all_but_codes(const CodeBatchView& from, CodeBatch& to);

}  // namespace widehash::detail
