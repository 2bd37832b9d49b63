#pragma once

/// \file
/// The bridge to Eigen: views the arrays of a matrix as a matrix of the other library, in both directions,
/// without a copy. The owner of the arrays must outlive the view.

#include <widehash/csr.hpp>
#include <widehash/error.hpp>

#include <Eigen/SparseCore>

namespace widehash {

using EigenMatrix = Eigen::SparseMatrix<float, Eigen::RowMajor, SparseIndex>;

/// Returns an Eigen view of the arrays of `matrix`, valid while they live. Cost: O(1).
inline Eigen::Map<const EigenMatrix> to_eigen(const CsrView& matrix) {
  return {matrix.num_rows,           matrix.num_columns,    matrix.num_nonzeros(),
          matrix.row_offsets.data(), matrix.columns.data(), matrix.values.data()};
}

/// Returns a CSR view of the arrays of `matrix`, valid while `matrix` lives and is not changed. Throws
/// ShapeError if `matrix` is not compressed: call makeCompressed() first. Cost: O(1).
inline CsrView from_eigen(const EigenMatrix& matrix) {
  if (!matrix.isCompressed()) {
    throw ShapeError(
        "an Eigen matrix with unused space between its rows is not CSR; call makeCompressed() first");
  }
  const auto num_entries = static_cast<std::size_t>(matrix.nonZeros());
  return {matrix.rows(),
          matrix.cols(),
          {matrix.outerIndexPtr(), static_cast<std::size_t>(matrix.rows()) + 1},
          {matrix.innerIndexPtr(), num_entries},
          {matrix.valuePtr(), num_entries}};
}
CsrView from_eigen(EigenMatrix&&) = delete;  // the view would outlive its arrays

}  // namespace widehash
