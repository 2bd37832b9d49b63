#include "slice_entries.hpp"

#include <widehash/csr_ops.hpp>

#include <cstddef>
#include <span>

namespace widehash::detail {

CsrView SliceEntries::of(const CodeBatchView& stored) {
  const CodeBatchView rows = unpacked(stored, runs_);
  row_offsets_.resize(rows.num_rows + 1);
  csr_row_offsets<SparseIndex>(rows, row_offsets_);
  const auto count = static_cast<std::size_t>(row_offsets_.back());
  if (columns_.size() < count) {
    columns_.resize(count);
    values_.resize(count);
  }
  const auto columns = std::span(columns_).first(count);
  const auto values = std::span(values_).first(count);
  csr_entries<SparseIndex>(rows, row_offsets_, columns, values);
  return {static_cast<SparseIndex>(rows.num_rows), static_cast<SparseIndex>(rows.layout->num_columns),
          row_offsets_, columns, values};
}

}  // namespace widehash::detail
