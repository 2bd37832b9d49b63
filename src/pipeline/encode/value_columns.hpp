#pragma once

/// \file
/// Takes the rows of `fit` to counted values. Rows given as views are processed a few at a time, while their
/// text is in the L1 cache, and placed rows a tile at a time. Each feature gets a column of hashed values,
/// which is counted once it is long enough for prefetching to pay. Used by one thread; the builder may be
/// shared.

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

/// The number of rows whose values are counted together: enough for prefetching to pay, and fewer with very
/// many features, so that the waiting values take no more memory than a block.
std::size_t rows_to_count(const Schema& schema) noexcept;

class ValueColumns {
 public:
  /// `schema` and `readers`, one per feature, must outlive this object.
  ValueColumns(const Schema& schema, std::span<const ValueReader> readers);

  /// Adds the hashed features of the rows listed in `sources`, to the columns or directly to `builder`.
  void add(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
           TableBuilder& builder);
  /// The same for placed rows.
  void add(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
           TableBuilder& builder);
  /// Counts what is left in the columns. Call it before the text of the rows is released. Starts at feature
  /// number `first`: threads that start at different features rarely contend.
  void flush(TableBuilder& builder, std::size_t first);

 private:
  struct Column {
    std::size_t feature = 0;
    RawVector<HashedValue> values;
    std::unique_ptr<char[]> built;  // made values that are too long for HashedValue to hold
    std::size_t built_bytes = 0;
  };
  void add_plain(const RowsView& rows, std::span<const std::size_t> sources, const FieldBinding& binding);
  void add_plain(const PlacedRows& rows, std::span<const std::size_t> sources, const FieldBinding& binding);
  /// Rows is RowsView or PlacedRows.
  template <class Rows>
  void add_composed(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                    TableBuilder& builder);
  /// Throws ConfigError for a value that is too long for any table.
  void require_length(std::size_t feature, std::string_view value) const;
  void add_value(Column& column, std::string_view value, bool is_built, TableBuilder& builder);
  void count(Column& column, TableBuilder& builder);

  const Schema& schema_;
  std::span<const ValueReader> readers_;
  MissingWords missing_words_;
  std::vector<Column> plain_;     // features of one field with one value per row
  std::vector<Column> composed_;  // crosses, parts of times and multi-valued features
  HashLanes lanes_;
  std::string scratch_;
};

}  // namespace widehash
