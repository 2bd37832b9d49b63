#include <widehash/csr.hpp>
#include <widehash/error.hpp>

#include <type_traits>

#include <fmt/format.h>

namespace widehash {

static_assert(std::is_trivially_copyable_v<CsrView>);

void check_csr(const CsrView& matrix) {
  if (matrix.num_rows < 0 || matrix.num_columns < 0) {
    throw ShapeError(fmt::format("a CSR matrix of {} x {}", matrix.num_rows, matrix.num_columns));
  }
  if (matrix.row_offsets.empty() ||
      matrix.row_offsets.size() - 1 != static_cast<std::size_t>(matrix.num_rows)) {
    throw ShapeError(fmt::format("a CSR matrix of {} rows needs one more row offset than rows, but has {}",
                                 matrix.num_rows, matrix.row_offsets.size()));
  }
  if (matrix.values.size() != matrix.columns.size()) {
    throw ShapeError(fmt::format("a CSR matrix has {} columns and {} values", matrix.columns.size(),
                                 matrix.values.size()));
  }
  if (matrix.row_offsets.front() != 0 || matrix.row_offsets.back() != matrix.num_nonzeros()) {
    throw ShapeError(fmt::format("CSR row offsets run from {} to {}, but should run from 0 to {}",
                                 matrix.row_offsets.front(), matrix.row_offsets.back(),
                                 matrix.num_nonzeros()));
  }
  for (SparseIndex row = 0; row < matrix.num_rows; ++row) {
    const SparseIndex begin = matrix.row_offsets[row];
    const SparseIndex end = matrix.row_offsets[row + 1];
    if (begin > end || end > matrix.num_nonzeros()) {
      throw ShapeError(fmt::format("CSR row {}: offsets {} to {} do not ascend", row, begin, end));
    }
    SparseIndex previous = -1;
    for (SparseIndex i = begin; i < end; ++i) {
      const SparseIndex column = matrix.columns[i];
      if (column < 0 || column >= matrix.num_columns) {
        throw ShapeError(fmt::format("CSR row {}: column {} of {}", row, column, matrix.num_columns));
      }
      if (column <= previous) {
        throw ShapeError(fmt::format("CSR row {}: column {} after {}; columns must be ascending and distinct",
                                     row, column, previous));
      }
      previous = column;
    }
  }
}

}  // namespace widehash
