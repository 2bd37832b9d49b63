#pragma once

/// \file
/// Whether the arrays of a batch are as long as its layout says.

#include <widehash/code_batch.hpp>

#include <string>

namespace widehash::detail {

/// What is wrong with the lengths of the arrays, as text for a message; empty where nothing is. Looks at the
/// first and the last ragged offset only. Cost: O(1).
std::string size_problem(const CodeBatchView& batch);

/// check_batch() of code_batch.hpp of the rows of a file, where a CodeCheck has looked at the codes already.
void check_rows_of_file(const CodeBatchView& batch, const std::string& path, bool codes_are_good);

}  // namespace widehash::detail
