#include <widehash/csr_ops.hpp>
#include <widehash/error.hpp>

#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

SparseIndex add_checked(SparseIndex a, SparseIndex b, const char* what) {
  SparseIndex sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw ShapeError(fmt::format("the {} of the parts exceed 2^63", what));
  return sum;
}

std::size_t total_nonzeros(std::span<const CsrView> parts) {
  std::size_t total = 0;
  for (const CsrView& part : parts) total += part.columns.size();
  return total;
}

void require_sizes(const CsrView& part) {
  const bool is_default = part.num_rows == 0 && part.row_offsets.empty();
  const bool fits = part.num_rows >= 0 && part.num_columns >= 0 &&
                    (is_default || part.row_offsets.size() == static_cast<std::size_t>(part.num_rows) + 1) &&
                    part.columns.size() == part.values.size() &&
                    (is_default || (part.row_offsets.front() == 0 &&
                                    std::cmp_equal(part.row_offsets.back(), part.columns.size())));
  if (fits) return;
  throw ShapeError(fmt::format(
      "a part of {} x {} with {} row offsets, {} columns and {} values is not a matrix", part.num_rows,
      part.num_columns, part.row_offsets.size(), part.columns.size(), part.values.size()));
}

}  // namespace

Csr hstack(std::span<const CsrView> parts) {
  Csr stacked;
  if (parts.empty()) return stacked;
  stacked.num_rows = parts.front().num_rows;
  std::vector<SparseIndex> first_columns;
  for (const CsrView& part : parts) {
    require_sizes(part);
    if (part.num_rows != stacked.num_rows) {
      throw ShapeError(fmt::format("matrices of {} and {} rows cannot be placed side by side",
                                   stacked.num_rows, part.num_rows));
    }
    first_columns.push_back(stacked.num_columns);
    stacked.num_columns = add_checked(stacked.num_columns, part.num_columns, "columns");
  }
  stacked.row_offsets.reserve(static_cast<std::size_t>(stacked.num_rows) + 1);
  stacked.columns.reserve(total_nonzeros(parts));
  stacked.values.reserve(total_nonzeros(parts));
  for (SparseIndex row = 0; row < stacked.num_rows; ++row) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (SparseIndex i = parts[p].row_offsets[row]; i < parts[p].row_offsets[row + 1]; ++i) {
        stacked.columns.push_back(first_columns[p] + parts[p].columns[i]);
        stacked.values.push_back(parts[p].values[i]);
      }
    }
    stacked.row_offsets.push_back(static_cast<SparseIndex>(stacked.columns.size()));
  }
  return stacked;
}

Csr vstack(std::span<const CsrView> parts) {
  Csr stacked;
  if (parts.empty()) return stacked;
  stacked.num_columns = parts.front().num_columns;
  stacked.columns.reserve(total_nonzeros(parts));
  stacked.values.reserve(total_nonzeros(parts));
  for (const CsrView& part : parts) {
    require_sizes(part);
    if (part.num_columns != stacked.num_columns) {
      throw ShapeError(fmt::format("matrices of {} and {} columns cannot be stacked", stacked.num_columns,
                                   part.num_columns));
    }
    const SparseIndex base = stacked.row_offsets.back();
    for (SparseIndex row = 1; row <= part.num_rows; ++row) {
      stacked.row_offsets.push_back(base + part.row_offsets[static_cast<std::size_t>(row)]);
    }
    stacked.columns.insert(stacked.columns.end(), part.columns.begin(), part.columns.end());
    stacked.values.insert(stacked.values.end(), part.values.begin(), part.values.end());
    stacked.num_rows = add_checked(stacked.num_rows, part.num_rows, "rows");
  }
  return stacked;
}

Csr one_hot_csr(std::span<const std::uint32_t> columns, SparseIndex num_columns) {
  if (num_columns < 0) throw ShapeError(fmt::format("{} columns of a matrix", num_columns));
  Csr matrix;
  matrix.num_rows = static_cast<SparseIndex>(columns.size());
  matrix.num_columns = num_columns;
  matrix.row_offsets.reserve(columns.size() + 1);
  for (std::size_t row = 0; row < columns.size(); ++row) {
    if (SparseIndex{columns[row]} >= num_columns) {
      throw ShapeError(fmt::format("row {}: column {} of {}", row, columns[row], num_columns));
    }
    matrix.row_offsets.push_back(static_cast<SparseIndex>(row) + 1);
  }
  matrix.columns.assign(columns.begin(), columns.end());
  matrix.values.assign(columns.size(), 1.0F);
  return matrix;
}

}  // namespace widehash
