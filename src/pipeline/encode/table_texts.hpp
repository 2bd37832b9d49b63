#pragma once

/// \file
/// The columns of a table in memory as rows of texts, a tile at a time: what is encoded and counted.

#include <widehash/column_table.hpp>
#include <widehash/encoder.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace widehash {

/// What errors and manifests name where others name a file.
inline constexpr const char* memory_source = "table in memory";

/// Looks at the table, which must outlive it. Immutable, shared by threads.
class TableTexts {
 public:
  /// `binding` is that of the table's columns. Columns are read once, however many features they have; those
  /// of features for which `needs_texts` is false only where something else needs them. With `trim` texts
  /// have no spaces around them. Throws ConfigError where a column of lists stands for what has one value a
  /// row, or a column that is needed has no texts, ShapeError where the binding is of other columns or another
  /// schema.
  TableTexts(const Schema& schema, const ColumnTable& table, const FieldBinding& binding,
             const std::function<bool(std::size_t feature)>& needs_texts);

  /// Of the rows that read() gives.
  const FieldBinding& binding() const noexcept { return binding_; }
  /// Rows [begin, begin + count) of the table, which last as long as `texts` and what is in `room`.
  RowsView read(std::size_t begin, std::size_t count, std::vector<std::string_view>& texts,
                TextRoom& room) const;

 private:
  struct Field {
    std::size_t position;  // in the table
    bool needs_text;
  };
  void place(std::size_t& position, bool needs_text);

  const ColumnTable& table_;
  bool trims_;
  FieldBinding binding_;
  std::vector<Field> fields_;
  std::unordered_map<std::size_t, std::size_t> field_of_column_;
  std::vector<std::uint8_t> lists_;  // as RowsView::lists
};

}  // namespace widehash
