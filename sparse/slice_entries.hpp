#pragma once

/// \file
/// The entries of a slice of rows, in memory that is reused from slice to slice: new memory for each, which the
/// system clears, took half the time of an export.

#include <widehash/code_batch.hpp>
#include <widehash/csr.hpp>
#include <widehash/unpacked_runs.hpp>

#include <vector>

namespace widehash::detail {

class SliceEntries {
 public:
  /// Returns the matrix of `rows`, valid until the next call. Throws as to_csr() does.
  CsrView of(const CodeBatchView& rows);

 private:
  UnpackedRuns runs_;
  std::vector<SparseIndex> row_offsets_;
  std::vector<SparseIndex> columns_;
  std::vector<float> values_;
};

}  // namespace widehash::detail
