#pragma once

/// \file
/// From rows of text to code batches: the same codes from files, from memory and at serving time.
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
  /// By field, not 0 where values are lists (value_list.hpp); empty where none are. Only multi-valued
  /// features take them. Requires lists that write_listed() wrote, which is not looked at.
  std::span<const std::uint8_t> lists = {};
  /// Whether spaces that a schema with `trim` leaves out are gone already, as from rows of files, where
  /// quotes may have kept some.
  bool are_trimmed = false;

  bool is_list(std::size_t field) const noexcept { return !lists.empty() && lists[field] != 0; }
  std::size_t num_rows() const noexcept { return num_fields == 0 ? 0 : values.size() / num_fields; }
  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    return values[row * num_fields + field];
  }
};

/// Where the fields of a schema stand in the rows at hand; made by Encoder::bind.
struct FieldBinding {
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);
  std::size_t num_fields = 0;
  std::size_t label = absent;                      // absent: targets are 0
  std::size_t weight = absent;                     // absent: weights are 1
  std::vector<std::vector<std::size_t>> features;  // position of each part of each feature
  std::vector<std::size_t> kept = {};  // of fields that go before predictions (PredictOptions::keep)
  Folds folds = {};  // that are taken of rows of text, as given to bind(); others are passed over
  std::size_t fold_field = absent;             // whose value decides of the fold; absent: the whole row
  std::vector<std::string> column_names = {};  // of a table that was bound; empty for rows
  std::vector<std::string> header =
      {};  // of rows of text: a row of just these values is no row; empty: any may be one
};

/// A row that could not be encoded.
struct EncodeIssue {
  std::size_t row = 0;  // within the rows given; each call counts anew
  std::string reason;
};

/// Working memory of one thread that encodes tile after tile; any encoder may use it.
class EncodeScratch {
 public:
  EncodeScratch();
  ~EncodeScratch();
  EncodeScratch(EncodeScratch&&) noexcept;
  EncodeScratch& operator=(EncodeScratch&&) noexcept;

  /// Rows passed over so far, since they are not of the folds that their binding takes.
  std::uint64_t other_fold_rows() const noexcept;

 private:
  friend class Encoder;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether an Encoder of the schema has to be given tables: a feature is `exact`, or `standardize`.
bool needs_tables(const Schema& schema) noexcept;

class Encoder {
 public:
  /// Throws ConfigError where the schema contradicts itself (check_schema) or needs tables (exact,
  /// standardize), and where its columns exceed max_columns.
  explicit Encoder(Schema schema);
  /// `tables_directory` is what `fit` wrote; its tables stay mapped. Empty: as above. `code_bytes` is for
  /// those who add to a dataset of an earlier version. Throws as above, and what load_table_set() and
  /// open_table() throw. Cost: the tables of exact features are read once.
  Encoder(Schema schema, const std::string& tables_directory, CodeBytes code_bytes = CodeBytes::least);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  const Schema& schema() const noexcept;
  const std::shared_ptr<const CodeLayout>& layout() const noexcept;
  CodeBytes code_bytes() const noexcept;
  /// E of each feature; zeros where it is not exact.
  const std::vector<std::uint32_t>& head_columns() const noexcept;
  /// Of the schema and, where it needs any, of the tables: that of layout().
  const EncodingFingerprint& fingerprint() const noexcept;

  /// Finds the schema's fields among `field_names`. Throws ConfigError naming the missing field and
  /// `source_name`; without `needs_label` a missing label or weight is no error.
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label) const;
  /// Of rows of text the same, with the folds that are taken of them. Throws also as check_folds(), and ConfigError
  /// where the field that is to decide is not there.
  FieldBinding bind(std::span<const std::string> field_names, const std::string& source_name,
                    bool needs_label, const Folds& folds) const;
  /// The same with a table's names(); the error lists those of columns that were left out too.
  FieldBinding bind(const ColumnTable& table, bool needs_label) const;

  /// Encodes rows whose fields stand as the schema's `fields` lists them (or, where it lists none: label,
  /// weight, then each feature's fields, each once, in order of first mention; see field_names()).
  /// Values are read as unquoted ones of a file: with `trim` spaces around them are not part of them, around
  /// those within lists they are. `max_field_bytes` is for files; values in memory may have any length below 4 GiB.
  /// Throws DataError naming the first row that cannot be encoded (label or number). Thread-safe. Cost: that of
  /// bind() on top, some microseconds a call and more where there are many fields: a service binds once, and
  /// calls the overload that takes the binding.
  CodeBatch encode(const RowsView& rows) const;
  const std::vector<std::string>& field_names() const noexcept;

  /// The same, appending to `batch`, which is of layout(), the rows that can be encoded and to `issues` those
  /// that cannot. Throws ShapeError where the batch is of another layout, rows have another number of fields
  /// than were bound, or `lists` do, and where the binding is of another schema; ConfigError where a field of
  /// lists stands for what has one value a row. Thread-safe. Cost: O(bytes of values + rows * slots).
  void encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues) const;
  /// The same without taking memory anew for every tile.
  void encode(const RowsView& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;

  /// Encodes the rows of a table in memory, whose columns are found by their names; others are not read. The
  /// rows are worked on side by side. Throws ConfigError where a field is missing, DataError naming the first
  /// row that cannot be encoded. Thread-safe. Cost: bind() on top, as above.
  CodeBatch encode(const ColumnTable& table) const;
  /// The same, appending to `batch`, which is of layout(), the rows that can be encoded and to `issues` those
  /// that cannot, in order; `binding` is bind(table, ...). Both stay as they were where it throws: as above,
  /// and ShapeError where the binding is of other columns, or in another order, or of another schema.
  /// Thread-safe.
  void encode(const ColumnTable& table, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues) const;

  /// Whether rows can be encoded by their places: the hash is XXH64.
  bool takes_places() const noexcept;
  /// As for views of the same rows, at two thirds of the time or less where most features are four-split.
  /// Values are taken as they stand, whatever the schema trims. Requires takes_places().
  void encode(const PlacedRows& rows, const FieldBinding& binding, CodeBatch& batch,
              std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;

 private:
  struct Plan;
  // Rows is RowsView or PlacedRows.
  template <class Rows>
  void encode_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding, CodeBatch& batch,
                   std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;
  /// Appends targets, weights and numbers of the rows that can be used; their own slots are still to be
  /// filled.
  template <class Rows>
  void read_rows(const Rows& rows, std::size_t num_rows, const FieldBinding& binding, CodeBatch& batch,
                 std::vector<EncodeIssue>& issues, EncodeScratch& scratch) const;
  void fill_numbers(CodeBatch& batch, std::size_t first_row, const EncodeScratch& scratch) const;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace widehash
