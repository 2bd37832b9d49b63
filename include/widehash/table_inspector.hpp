#pragma once

/// \file
/// A look at rows in memory that nobody has described yet, batch by batch: what inspect() does with files.

#include <widehash/column_table.hpp>
#include <widehash/inspect.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace widehash {

/// One thread at a time; append() works on the columns side by side.
class TableInspector {
 public:
  /// `label` is the field to predict, `weight` that of the rows' weights; both may be empty. Looks at `max_rows`
  /// rows at most; 0: all of them. Throws ConfigError where they are one field.
  explicit TableInspector(std::string label, std::uint64_t max_rows = 0, std::string weight = {});
  ~TableInspector();
  TableInspector(TableInspector&&) noexcept;
  TableInspector& operator=(TableInspector&&) noexcept;

  /// Looks at the rows of a table. Columns whose values have no text are left out of the schema, with a note.
  /// Throws ConfigError where the label or the weight is not among the columns or has no text, and where a table has
  /// other columns than the one before; then nothing was looked at.
  void append(const ColumnTable& table);

  /// What all rows hold, and a schema in which columns of lists are multi-valued. Throws ConfigError where
  /// there was no table, the values of the label are text and not a small set, or the weight is no number.
  InspectReport report() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace widehash
