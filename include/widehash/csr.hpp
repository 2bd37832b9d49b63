#pragma once

/// \file
/// Compressed sparse rows. The 3 x 4 matrix
///
///     [ 1  0  2  0 ]        row_offsets = [ 0, 2, 2, 4 ]     row r holds entries row_offsets[r] .. row_offsets[r + 1]
///     [ 0  0  0  0 ]        columns     = [ 0, 2, 1, 3 ]     ascending and distinct within a row
///     [ 0  3  0  4 ]        values      = [ 1, 2, 3, 4 ]
///
/// Offsets and columns are both signed 64-bit integers. 26 four-split features pass 2^31 entries at 20.6
/// million rows, and Eigen and scipy, like this library, use one index type for both arrays, so a matrix can
/// be passed on without a copy. CSR is made on demand for other programs. Training reads code batches, which
/// are a sixth of the size.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

using SparseIndex = std::int64_t;

/// A view of a matrix that is owned elsewhere. Trivially copyable.
struct CsrView {
  SparseIndex num_rows = 0;
  SparseIndex num_columns = 0;
  std::span<const SparseIndex> row_offsets;  // num_rows + 1
  std::span<const SparseIndex> columns;
  std::span<const float> values;

  SparseIndex num_nonzeros() const noexcept { return static_cast<SparseIndex>(columns.size()); }
};

/// Owns a matrix.
struct Csr {
  SparseIndex num_rows = 0;
  SparseIndex num_columns = 0;
  std::vector<SparseIndex> row_offsets{0};
  std::vector<SparseIndex> columns;
  std::vector<float> values;

  CsrView view() const noexcept { return {num_rows, num_columns, row_offsets, columns, values}; }
};

/// Throws ShapeError naming the first violation of the rules in the drawing above. Cost: O(rows + non-zeros).
void check_csr(const CsrView& matrix);

}  // namespace widehash
