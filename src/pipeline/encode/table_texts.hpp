#pragma once

/// \file
/// The columns of a table in memory as rows of texts, a tile at a time, for encoding and counting.

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

/// The source name of tables in memory, used in errors and manifests where others name a file.
inline constexpr const char* memory_source = "table in memory";

/// Refers to the table, which must outlive it. Immutable, shared by threads.
class TableTexts {
 public:
  /// `binding` binds the table's columns. A column is read once, however many features use it; the columns of
  /// features for which `needs_texts` is false are read only where something else needs them. Where the
  /// schema has `trim`, texts have no spaces around them. Throws ConfigError where a column of lists is used
  /// for something that takes one value per row, where a needed column has no texts, or where the binding
  /// takes only some folds; ShapeError where the binding belongs to other columns or to another schema.
  TableTexts(const Schema& schema, const ColumnTable& table, const FieldBinding& binding,
             const std::function<bool(std::size_t feature)>& needs_texts);

  /// The binding of the rows that read() returns.
  const FieldBinding& binding() const noexcept { return binding_; }
  /// Rows [begin, begin + count) of the table. Valid as long as `texts` and the contents of `room`.
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
