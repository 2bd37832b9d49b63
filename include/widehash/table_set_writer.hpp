#pragma once

/// \file
/// Builds lookup tables from rows in memory, batch by batch, as fit() does from files. For ETL jobs that have
/// no text.

#include <widehash/column_table.hpp>
#include <widehash/memory_budget.hpp>
#include <widehash/schema.hpp>
#include <widehash/schema_source.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash {

struct TableSetWriterOptions {
  std::string output_directory;                       // resolved when the writer is made
  std::uint64_t max_bad_rows = 0;                     // more of them end the work
  std::uint64_t memory_bytes = default_memory_bytes;  // for counting; more values spill to disk
  bool overwrite = false;                             // replace existing tables
};

/// For one thread at a time, in the process that made it (see DatasetWriter); append() uses all threads of
/// with_threads(). The tables depend neither on how rows were cut into batches nor on threads. The last bits
/// of the moments of numeric features depend on the batches and may differ from those that fit() finds for
/// the same rows, and the fingerprint of the set depends on the moments. Datasets encoded with one set
/// (exact, standardize) therefore do not mix with datasets encoded with the other; encode all that belong
/// together with one set.
class TableSetWriter {
 public:
  /// Creates the folder and locks it. Existing tables stay as they are until finish(). Throws ConfigError if
  /// there are tables and `overwrite` is not set, if the folder holds a dataset, if another run writes there,
  /// or if the memory is too small; FileError.
  TableSetWriter(const Schema& schema, const TableSetWriterOptions& options);
  /// Discards what was not finished.
  ~TableSetWriter();
  TableSetWriter(const TableSetWriter&) = delete;
  TableSetWriter& operator=(const TableSetWriter&) = delete;

  /// The fields that the schema mentions, which are the ones read. Throws ConfigError once the tables are
  /// finished or discarded.
  const std::vector<std::string>& field_names() const;

  /// Counts the values of the rows of a table. Columns are found by name and read as Encoder reads them: with
  /// `trim`, without the spaces around values, and of any length below 4 GiB. Rows that cannot be encoded are
  /// not counted; they are listed in `rejected.tsv`, numbered from 1 over all tables. Throws DataError for
  /// the first bad row past `max_bad_rows`, FileError, and ConfigError for a value that has no text; in these
  /// cases the tables are discarded.
  /// Throws ConfigError if a field is missing, and where a value is needed and the column holds lists or a
  /// type that has no text; this changes nothing.
  void append(const ColumnTable& table);

  /// Writes the tables and puts them in place. Throws ConfigError if they were finished or discarded,
  /// FileError. After a FileError the writer is discarded; but if it was one of the last moves that failed,
  /// the set is complete in `fit.ready`, and the next run into the folder puts it in place (table_place.hpp).
  TableSet finish();
  /// Removes what was made, and the folder if it was created for this and is empty. Otherwise the folder
  /// stays, with the tables it held before, and is unlocked. Does nothing after finish().
  void discard() noexcept;
  /// Whether it still takes rows: it is neither finished nor discarded.
  bool is_open() const noexcept { return impl_ != nullptr; }

 private:
  class Impl;
  Impl& open() const;
  template <class Work>
  auto or_discard(const Work& work);

  std::unique_ptr<Impl> impl_;  // null once finished or discarded
};

}  // namespace widehash
