#pragma once

/// \file
/// Inspects rows in memory that have no schema yet, batch by batch, as inspect() does with files.

#include <widehash/column_table.hpp>
#include <widehash/inspect.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace widehash {

/// For one thread at a time; append() works on the columns in parallel.
class TableInspector {
 public:
  /// `label` is the field to predict, `weight` the field with the rows' weights; both may be empty. Inspects
  /// at most `max_rows` rows; 0 means all. Throws ConfigError if both are the same field.
  explicit TableInspector(std::string label, std::uint64_t max_rows = 0, std::string weight = {});
  ~TableInspector();
  TableInspector(TableInspector&&) noexcept;
  TableInspector& operator=(TableInspector&&) noexcept;

  /// Inspects the rows of a table. Columns whose values have no text are left out of the schema, with a note.
  /// Throws ConfigError if the label or the weight is not among the columns or has no text, and if the
  /// columns differ from those of the previous table; then nothing was inspected.
  void append(const ColumnTable& table);

  /// Reports what the rows hold, with a schema in which columns of lists are multi-valued. Throws ConfigError
  /// if there was no table, if the label's values are text and not a small set, or if the weight is not a
  /// number.
  InspectReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
