#pragma once

/// \file
/// A table in memory: named columns of equal length.
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

/// Cheap to move and to copy, because columns are shared.
class ColumnTable {
 public:
  /// Throws ShapeError if the table has a column of that name, if the lengths differ, or if `column` is null.
  void add(std::string name, ValueColumnPointer column);
  /// Records that a column of that name exists but was not added because it is not wanted. The same name may
  /// be recorded several times. If all columns are left out, num_rows() is the largest `num_rows` given here.
  void leave_out(std::string name, std::size_t num_rows = 0) {
    all_names_.push_back(std::move(name));
    if (num_rows > rows_left_out_) rows_left_out_ = num_rows;
  }
  /// Keeps `owner` alive as long as this table, for columns that refer to its memory.
  void keep(std::shared_ptr<const void> owner) { owners_.push_back(std::move(owner)); }

  std::size_t num_rows() const noexcept {
    return columns_.empty() ? rows_left_out_ : columns_.front()->num_rows();
  }
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// names() and the names that were left out, in the order they were added. For error messages.
  const std::vector<std::string>& all_names() const noexcept { return all_names_; }
  /// Indexed like names().
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
