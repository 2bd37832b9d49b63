#pragma once

/// \file
/// Converts rows of one encoding to another of its layouts. Datasets written by older versions have two bytes
/// for every code.

#include <widehash/code_batch.hpp>

#include <memory>

namespace widehash {

/// Returns the rows with their codes laid out as in `layout`; everything else is copied. Throws ShapeError if
/// the layouts differ in more than the bytes per code. `rows` must lie contiguously in host memory. Cost:
/// O(rows * slots).
CodeBatch rows_in_layout(const CodeBatchView& rows, std::shared_ptr<const CodeLayout> layout);

}  // namespace widehash
