#pragma once

/// \file
/// Encodes rows of text as code batches. Files, memory and serving give the same codes.
///
///     const auto schema = widehash::load_schema("schema.toml");
///     const widehash::Encoder encoder(schema);             // immutable, shared by threads
///     widehash::CodeBatch batch = encoder.encode(rows);    // rows: string_views, nothing copied
///     widehash::Csr x = widehash::to_csr(batch.view());

#include <widehash/code_batch.hpp>
#include <widehash/column_table.hpp>
#include <widehash/folds.hpp>
#include <widehash/placed_rows.hpp>
#include <widehash/schema.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Rows in memory: values[row * num_fields + field]. Owns nothing.
struct RowsView {
  std::span<const std::string_view> values;
  std::size_t num_fields = 0;
  /// Per field, nonzero if its values are lists (value_list.hpp); empty if no field has lists. Only
  /// multi-valued features take lists. Requires lists written by write_listed(); this is not checked.
  std::span<const std::uint8_t> lists = {};
  /// Whether the spaces that a schema with `trim` drops are gone already. This holds for rows of files, where
  /// quotes may have kept some spaces.
  bool are_trimmed = false;

  bool is_list(std::size_t field) const noexcept { return !lists.empty() && lists[field] != 0; }
  std::size_t num_rows() const noexcept { return num_fields == 0 ? 0 : values.size() / num_fields; }
  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    return values[row * num_fields + field];
  }
};

/// Positions of the schema's fields in the given rows. Made by Encoder::bind.
struct FieldBinding {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  std::size_t num_fields = 0;
  std::size_t label = absent;                      // absent: targets are 0
  std::size_t weight = absent;                     // absent: weights are 1
  std::vector<std::vector<std::size_t>> features;  // position of each part of each feature
  /// Fields written before the predictions (PredictOptions::keep).
  std::vector<std::size_t> kept = {};
  /// The folds taken from rows of text, as given to bind(). Rows of other folds are skipped.
  Folds folds = {};
  std::size_t fold_field = absent;             // its value decides the fold; absent: the whole row does
  std::vector<std::string> column_names = {};  // of the bound table; empty for rows
  /// The header of rows of text: a row equal to it is rejected as a repeated header. Empty: no row is.
  std::vector<std::string> header = {};
};

/// A row that could not be encoded.
struct EncodeIssue {
  std::size_t row = 0;  // within the rows given; each call counts from 0
  std::string reason;
};

/// Throws DataError for a row of a table in memory that is one bad row too many. `rows_before` counts the rows of the
/// tables before it.
[[noreturn]] void throw_bad_row(std::size_t rows_before, const EncodeIssue& issue);

/// Working memory of one thread that encodes tile after tile. Any encoder may use it.
class EncodeScratch {
 public:
  EncodeScratch();
  ~EncodeScratch();
  EncodeScratch(EncodeScratch&&) noexcept;
  EncodeScratch& operator=(EncodeScratch&&) noexcept;

  /// Number of rows skipped so far because their binding does not take their fold.
  std::uint64_t other_fold_rows() const noexcept;

 private:
  friend class Encoder;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether an Encoder of the schema needs tables: some feature is `exact` or uses `standardize`.
bool needs_tables(const Schema& schema) noexcept;

class Encoder {
 public:
  /// Throws ConfigError if the schema contradicts itself (check_schema), needs tables (exact, standardize),
  /// or has more than max_columns columns.
  explicit Encoder(Schema schema);
  /// `tables_directory` is the folder that `fit` wrote; its tables stay mapped. An empty path means no
  /// tables, as above. Only a caller that adds to a dataset of an earlier version needs to set `code_bytes`.
  /// Throws as above, and what load_table_set() and open_table() throw. Cost: the tables of exact features
  /// are read once.
  Encoder(Schema schema, const std::string& tables_directory,
          CodeBytes code_bytes = CodeBytes::least_in_runs);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const Schema& schema() const noexcept;
  const std::shared_ptr<const CodeLayout>& layout() const noexcept;
  CodeBytes code_bytes() const noexcept;
  /// E of each feature; 0 if the feature is not exact.
  const std::vector<std::uint32_t>& head_columns() const noexcept;
  /// Fingerprint of the schema and, if it needs tables, of the tables. Equal to that of layout().
  const EncodingFingerprint& fingerprint() const noexcept;

  /// Finds the schema's fields among `field_names`. Throws ConfigError naming the missing field and
  /// `source_name`. Without `needs_label`, a missing label or weight is not an error.
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label) const;
  /// The same for rows of text of which only some folds are taken. Also throws what check_folds() throws, and
  /// ConfigError if the field that decides the fold is missing.
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label, const Folds& folds) const;
  /// The same with the names() of a table. The error also lists the names of columns that were left out.
  FieldBinding bind(const ColumnTable& table, bool needs_label) const;

  /// Encodes rows whose fields are in the order of the schema's `fields`. If the schema lists none, the order
  /// is label, weight, then the fields of each feature, each field once, in order of first mention; see
  /// field_names(). Values are read like unquoted values of a file. With `trim`, spaces around a value are
  /// dropped, but not those around the values of a list. `max_field_bytes` applies to files only; values in
  /// memory may have any length below 4 GiB. Throws DataError naming the first row that cannot be encoded
  /// (label or number). Thread-safe. Each call also pays for bind(): some microseconds, more with many
  /// fields. A service should bind once and call the overload that takes the binding.
  CodeBatch encode(const RowsView& rows) const;
  const std::vector<std::string>& field_names() const noexcept;

  /// The same, but appends the rows that can be encoded to `batch`, which must have the layout layout(), and
  /// those that cannot to `issues`. Throws ShapeError if the batch has another layout, if the rows or `lists`
  /// have another number of fields than was bound, or if the binding is of another schema. Throws ConfigError
  /// if a field with lists is used where a row has one value. Thread-safe. Cost: O(bytes of values + rows *
  /// slots).
  void encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues) const;
  /// The same, reusing `scratch` instead of allocating memory for every tile.
  void encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;

  /// Encodes the rows of a table in memory, in parallel. Columns are found by name; other columns are not
  /// read. Throws ConfigError if a field is missing, DataError naming the first row that cannot be encoded.
  /// Thread-safe. Each call also pays for bind(), as above.
  CodeBatch encode(const ColumnTable& table) const;
  /// The same, but appends the rows that can be encoded to `batch`, which must have the layout layout(), and
  /// those that cannot to `issues`, both in row order. `binding` comes from bind(table, ...). Throws as
  /// above, and ShapeError if the binding is of other columns, of another order of columns, or of another
  /// schema. If it throws, `batch` and `issues` are unchanged. Thread-safe.
  void encode(const ColumnTable& table, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues) const;

  /// Whether rows can be encoded from the offsets of their values (PlacedRows): the hash is XXH64.
  bool takes_places() const noexcept;
  /// Gives the same result as for views of the same rows, in two thirds of the time or less if most features
  /// are four-split. Values are taken as they are, even if the schema trims. Requires takes_places().
  void encode(const PlacedRows& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;

 private:
  struct Plan;
  // Rows is RowsView or PlacedRows.
  template <class Rows>
  void encode_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding, CodeBatch& batch,
                   std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;
  /// Appends the targets, weights and numbers of the usable rows. The slots of these rows are not filled yet.
  template <class Rows>
  void read_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding, CodeBatch& batch,
                 std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;
  void fill_numbers(CodeBatch& batch, std::size_t first_row, const EncodeScratch& scratch) const;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace widehash
