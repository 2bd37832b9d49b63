#pragma once

/// \file
/// Checks whether the arrays of a batch are as long as its layout says.

#include <widehash/code_batch.hpp>

#include <cstddef>
#include <string>

namespace widehash::detail {

/// Returns how many items the ragged runs have that the ragged offsets count: columns, or bytes of packed runs.
std::size_t run_items(const CodeBatchView& batch) noexcept;

/// Returns what is wrong with the lengths of the arrays, as text for a message; empty if nothing is. Looks
/// only at the first and the last ragged offset. Cost: O(1).
std::string size_problem(const CodeBatchView& batch);

/// Runs check_batch() of code_batch.hpp on the rows of a file. `codes_are_good`: a CodeCheck has found that
/// the codes are within their ranges.
void check_rows_of_file(const CodeBatchView& batch, const std::string& path, bool codes_are_good);

}  // namespace widehash::detail
