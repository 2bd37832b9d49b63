#pragma once

/// \file
/// Rows of one encoding in another of its layouts: datasets that older versions wrote have two bytes for
/// every code.

#include <widehash/code_batch.hpp>

#include <memory>

namespace widehash {

/// The rows with their codes laid out as `layout` has them; everything else is copied. Throws ShapeError
/// where the layouts differ in more than the bytes of a code. `rows` lie in the memory of the host, side by
/// side. Cost: O(rows * slots).
CodeBatch rows_in_layout(const CodeBatchView& rows, std::shared_ptr<const CodeLayout> layout);

}  // namespace widehash
