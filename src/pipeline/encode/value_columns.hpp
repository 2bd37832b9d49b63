#pragma once

/// \file
/// The way of `fit` from rows to counted values. Rows by views are gone through a few at a time, while
/// their text is in the nearest cache, those by places a tile at a time, and each feature gets a column
/// of hashed values; a column is counted when it is long enough for the fetches ahead to pay. Used by one
/// thread; the builder may be shared.

#include "value_reader.hpp"

#include <widehash/internal/hash_lanes.hpp>
#include <widehash/internal/missing_words.hpp>
#include <widehash/internal/raw_vector.hpp>
#include <widehash/internal/table_builder.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Rows whose values are to be counted together: enough for the fetches ahead to pay, and with very many features
/// fewer, so that the values that wait do not outgrow the memory of a block.
std::size_t rows_to_count(const Schema& schema) noexcept;

class ValueColumns {
 public:
  /// `schema` and `readers`, one a feature, must outlive this.
  ValueColumns(const Schema& schema, std::span<const ValueReader> readers);

  /// Takes the hashed features of the rows listed in `sources`, in columns or to `builder`.
  void add(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
           TableBuilder& builder);
  /// The same for rows by their places.
  void add(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
           TableBuilder& builder);
  /// Counts what is left in the columns. Call before the text of the rows is gone. Features are begun with
  /// number `first`: threads that begin apart seldom meet.
  void flush(TableBuilder& builder, std::size_t first);

 private:
  struct Column {
    std::size_t feature = 0;
    RawVector<HashedValue> values;
    std::unique_ptr<char[]> built;  // values that are made and too long for HashedValue
    std::size_t built_bytes = 0;
  };
  void add_plain(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding);
  void add_plain(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding);
  /// Rows is RowsView or PlacedRows.
  template <class Rows>
  void add_composed(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                    TableBuilder& builder);
  /// Throws ConfigError for what no table can hold.
  void require_length(std::size_t feature, std::string_view value) const;
  void add_value(Column& column, std::string_view value, bool is_built, TableBuilder& builder);
  void count(Column& column, TableBuilder& builder);

  const Schema& schema_;
  std::span<const ValueReader> readers_;
  MissingWords missing_words_;
  std::vector<Column> plain_;     // features of one field and one value
  std::vector<Column> composed_;  // crosses, parts of times and multi-valued ones
  HashLanes lanes_;
  std::string scratch_;
};

}  // namespace widehash
