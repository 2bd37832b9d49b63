#pragma once

/// \file
/// Makes CSR matrices from code batches, from columns, and from other matrices side by side or one above the
/// other. Every result follows the rules of csr.hpp. Counts of rows, columns and non-zeros are 64-bit
/// throughout.

#include <widehash/code_batch.hpp>
#include <widehash/csr.hpp>

#include <cstdint>
#include <span>

namespace widehash {

/// Returns the matrix X[rows, layout.num_columns] of a batch. Every code, column and ragged column adds 1 to
/// its place, so repeated ones add up. A number becomes the value of its column, and a number of 0 is not
/// stored. An absent value sets nothing. Requires a batch that check_batch() accepts. Cost: O(rows * slots),
/// in parallel over rows. The result does not depend on the number of threads.
Csr to_csr(const CodeBatchView& batch);

/// to_csr() in two steps, for callers that provide the memory or want narrower indices. First
/// csr_row_offsets() fills row_offsets[rows + 1]; its last entry is the required size of `columns` and
/// `values`. Then csr_entries() fills those. Index is int32_t or int64_t. Throws ShapeError if sizes do not
/// fit, if the number of entries exceeds the largest Index (columns never do), or if the row offsets are
/// those of other rows. After an error the output is unspecified.
template <class Index>
void csr_row_offsets(const CodeBatchView& batch, std::span<Index> row_offsets);
template <class Index>
void csr_entries(const CodeBatchView& batch, std::span<const Index> row_offsets, std::span<Index> columns,
                 std::span<float> values);

/// Returns [A | B | ...]. Requires parts that check_csr() accepts. Throws ShapeError if the arrays of a part
/// do not have the sizes that it states, if row counts differ or if the columns pass 2^63. Without parts the
/// result is the 0 x 0 matrix. Cost: O(parts * rows + non-zeros).
Csr hstack(std::span<const CsrView> parts);

/// Returns A above B above ... Same requirements and errors as hstack(), for column counts and rows instead.
/// Without parts the result is the 0 x 0 matrix. Cost: O(rows + non-zeros).
Csr vstack(std::span<const CsrView> parts);

/// Returns one row per element of `columns`, with a 1 in that column. Throws ShapeError if a column is not
/// below `num_columns`, or if `num_columns` is negative.
Csr one_hot_csr(std::span<const std::uint32_t> columns, SparseIndex num_columns);

}  // namespace widehash
