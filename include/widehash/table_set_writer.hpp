#pragma once

/// \file
/// The lookup tables of rows in memory, batch by batch: what fit() makes of files, for ETL jobs that have no
/// text.

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
  std::string output_directory;                       // as the path stands when the writer is made
  std::uint64_t max_bad_rows = 0;                     // more of them end the work
  std::uint64_t memory_bytes = default_memory_bytes;  // for counting; more values go through the disk
  bool overwrite = false;                             // replace tables that are there
};

/// One thread at a time, of the process that made it (see DatasetWriter); append() works on all threads of
/// with_threads(). Tables do not depend on how rows were cut into batches, nor on threads; the last bits of the
/// moments of numeric features depend on the batches, and may be others than those of fit() on the same rows.
/// The fingerprint of the set depends on them: datasets that were encoded with the one and with the other
/// (exact, standardize) do not mix then, so that all that are to go together are encoded with one set.
class TableSetWriter {
 public:
  /// Makes the folder and locks it. Tables that are there stay as they are until finish(). Throws ConfigError
  /// where there are any and `overwrite` is not given, where the folder holds a dataset, another run writes
  /// there, or memory is too little; FileError.
  TableSetWriter(const Schema& schema, const TableSetWriterOptions& options);
  /// Discards what was not finished.
  ~TableSetWriter();
  TableSetWriter(const TableSetWriter&) = delete;
  TableSetWriter& operator=(const TableSetWriter&) = delete;

  /// The fields that the schema speaks of, which are read. Throws ConfigError once the tables are finished or
  /// discarded.
  const std::vector<std::string>& field_names() const;

  /// Counts the values of the rows of a table, whose columns are found by their names, as Encoder reads them:
  /// with `trim` without the spaces around them, and of any length below 4 GiB. Rows that cannot be encoded are not
  /// counted, and listed in `rejected.tsv`, numbered from 1 over all tables. Throws DataError for the row
  /// that is one too many, FileError, and ConfigError for a value that has no text: then the tables are
  /// discarded.
  /// ConfigError where a field is missing, and for a column of lists, or of a type that has no text, where a
  /// value is needed: that changes nothing.
  void append(const ColumnTable& table);

  /// Writes the tables and puts them in place. Throws ConfigError where they were finished or discarded,
  /// FileError. After a FileError the writer is discarded. But where it was the last moves that failed, the set
  /// lies whole in `fit.ready`, and the next run into the folder puts it in place (table_place.hpp).
  TableSet finish();
  /// Removes what was made, and the folder where it was made for it and is empty; otherwise that stays, with
  /// the tables that were there, and is unlocked. Does nothing after finish().
  void discard() noexcept;
  /// Whether it takes rows: it is neither finished nor discarded.
  bool is_open() const noexcept { return impl_ != nullptr; }

 private:
  class Impl;
  Impl& open() const;
  template <class Work>
  auto or_discard(const Work& work);

  std::unique_ptr<Impl> impl_;  // null once they are finished or discarded
};

}  // namespace widehash
