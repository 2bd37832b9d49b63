#pragma once

/// \file
/// Rows behind the rows that are there, in memory and on disk.

#include <widehash/code_batch.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace widehash::detail {

/// Throws ShapeError, which begins with `what`, where `from` is not of the layout or its arrays are not as
/// long as that says.
void require_appendable(const CodeBatchView& from, const CodeLayout& layout, const std::string& what);

/// Appends the rows of `from`, which are appendable, to every array of `to` but its codes and the columns of its
/// ragged runs, whose offsets count on as if these were there.
void append_slots_and_offsets(const CodeBatchView& from, CodeBatch& to);

/// The columns of the ragged runs of all rows; empty where the layout has none.
std::span<const std::uint32_t> ragged_columns(const CodeBatchView& rows) noexcept;

/// Appends the rows of `from`, which are appendable, to every array of `to` but its codes.
void append_all_but_codes(const CodeBatchView& from, CodeBatch& to);

}  // namespace widehash::detail
