#pragma once

/// \file
/// Appends rows to existing rows, in memory and on disk.

#include <widehash/code_batch.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace widehash::detail {

/// Throws ShapeError, whose message begins with `what`, if `from` does not have the layout or its arrays
/// do not have the lengths that the layout requires.
void require_appendable(const CodeBatchView& from, const CodeLayout& layout, const std::string& what);

/// Appends the rows of `from`, which must be appendable, to every array of `to` except its codes and ragged runs.
void append_slots(const CodeBatchView& from, CodeBatch& to);

/// Appends the columns of a row's ragged run, packed or not. Throws ShapeError if a packed run is damaged.
void append_run(const CodeBatchView& from, std::size_t row, std::vector<std::uint32_t>& to);

/// Returns the columns of a row's ragged run; in `memory` if the run is packed. Throws as append_run() does.
std::span<const std::uint32_t> run_columns(const CodeBatchView& rows, std::size_t row,
                                           std::vector<std::uint32_t>& memory);

/// Appends the rows of `from`, which must be appendable, to every array of `to` except its codes.
void append_all_but_codes(const CodeBatchView& from, CodeBatch& to);

}  // namespace widehash::detail
