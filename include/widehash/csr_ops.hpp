#pragma once

/// \file
/// Making CSR matrices: from code batches, from columns, and from other matrices side by side or one above
/// the other. Every result keeps the rules of csr.hpp. Counts of rows, columns and non-zeros are 64-bit
/// throughout.

#include <widehash/code_batch.hpp>
#include <widehash/csr.hpp>

#include <cstdint>
#include <span>

namespace widehash {

/// X of a batch: X[rows, layout.num_columns]. Every code, column and ragged column adds 1 to its place, so
/// repeated ones add up; a number is the value of its column, and a number of 0 is not stored; what is absent
/// sets nothing. Requires: a batch that check_batch() accepts. Cost: O(rows * slots), in parallel over rows;
/// the result does not depend on the number of threads.
Csr to_csr(const CodeBatchView& batch);

/// The same in two steps, for whoever has memory of their own or wants narrower indices: first
/// row_offsets[rows + 1], the last of which says for how many columns and values there is to be room. Index
/// is int32_t or int64_t. Throws ShapeError where sizes do not fit, the entries pass the largest Index (columns
/// never do), or the row offsets are of other rows: what was written then means nothing.
template <class Index>
void csr_row_offsets(const CodeBatchView& batch, std::span<Index> row_offsets);
template <class Index>
void csr_entries(const CodeBatchView& batch, std::span<const Index> row_offsets, std::span<Index> columns,
                 std::span<float> values);

/// [A | B | ...]. Requires: parts that check_csr() accepts. Throws ShapeError where their arrays have other sizes than
/// they say, row counts differ or the columns pass 2^63. No parts give the 0 x 0
/// matrix. Cost: O(parts * rows + non-zeros).
Csr hstack(std::span<const CsrView> parts);

/// A above B above ... Requires and throws the same, where column counts differ. No parts give the 0 x 0 matrix.
/// Cost: O(rows + non-zeros).
Csr vstack(std::span<const CsrView> parts);

/// One row for each of `columns`, with a 1 there. Throws ShapeError where a column is not below
/// `num_columns`, or these are fewer than none.
Csr one_hot_csr(std::span<const std::uint32_t> columns, SparseIndex num_columns);

}  // namespace widehash
