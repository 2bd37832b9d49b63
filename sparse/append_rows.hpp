#pragma once

/// \file
/// Appends rows to existing rows, in memory and on disk.

#include <widehash/code_batch.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace widehash::detail {

/// Throws ShapeError, whose message begins with `what`, if `from` does not have the layout or its arrays
/// do not have the lengths that the layout requires.
void require_appendable(const CodeBatchView& from, const CodeLayout& layout, const std::string& what);

/// Appends the rows of `from`, which must be appendable, to every array of `to` except its codes and ragged
/// columns. The ragged offsets continue as if these columns were there.
void append_slots_and_offsets(const CodeBatchView& from, CodeBatch& to);

/// Returns the columns of the ragged runs of all rows; empty if the layout has none.
std::span<const std::uint32_t> ragged_columns(const CodeBatchView& rows) noexcept;

/// Appends the rows of `from`, which must be appendable, to every array of `to` except its codes.
void append_all_but_codes(const CodeBatchView& from, CodeBatch& to);

}  // namespace widehash::detail
