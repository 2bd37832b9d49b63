#pragma once

/// \file
/// A table in memory as named columns of one length.
///
///     widehash::ColumnTable table;
///     table.add("carrier", widehash::text_column(carriers));     // a span of string_views
///     table.add("distance", widehash::number_column(distances)); // a span of integers
///     const widehash::CodeBatch batch = encoder.encode(table);

#include <widehash/value_column.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace widehash {

/// Cheap to move and to copy: columns are shared.
class ColumnTable {
 public:
  /// Throws ShapeError where the table has a column of that name, or of another length, and for a null pointer.
  void add(std::string name, ValueColumnPointer column);
  /// Says that there is a column of that name, which the table was made without since nobody asked for it.
  /// There may be several. Where all columns are, the table has the `num_rows` of one that says them.
  void leave_out(std::string name, std::size_t num_rows = 0) {
    all_names_.push_back(std::move(name));
    if (num_rows > rows_left_out_) rows_left_out_ = num_rows;
  }
  /// Keeps what columns look at alive as long as this table.
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  std::size_t num_rows() const noexcept {
    return columns_.empty() ? rows_left_out_ : columns_.front()->num_rows();
  }
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// names() and those of columns that were left out, as they were added: for errors.
  const std::vector<std::string>& all_names() const noexcept { return all_names_; }
  /// In the order of names().
  const ValueColumn& column(std::size_t position) const { return *columns_.at(position); }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> known_names_;
  std::vector<std::string> all_names_;
  std::vector<ValueColumnPointer> columns_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::size_t rows_left_out_ = 0;
};

}  // namespace widehash
