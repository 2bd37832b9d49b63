#pragma once

/// \file
/// Rows in memory as a dataset, batch by batch: what transform() makes of files, for ETL jobs that have no
/// text.
///
///     widehash::DatasetWriter writer(encoder, {.output_directory = "train"});
///     while (const auto batch = arrow.next()) writer.append(*batch);
///     writer.finish();
///
/// The shards hold the same rows in the same order as those of the text would, and do not depend on how rows
/// were cut into batches, nor on threads. A writer that was killed cannot be carried on, as nobody can read
/// its rows again.

#include <widehash/code_batch.hpp>
#include <widehash/column_table.hpp>
#include <widehash/encoder.hpp>
#include <widehash/manifest.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace widehash {

inline constexpr std::uint64_t default_shard_bytes = std::uint64_t{16} << 20;

struct DatasetWriterOptions {
  std::string output_directory;                     // as the path stands when the writer is made
  std::uint64_t max_bad_rows = 0;                   // more of them end the work
  std::uint64_t shard_bytes = default_shard_bytes;  // of encoded rows to a shard, about; one row at least
  /// Replace a dataset, which stays until the new one is whole, or what an unfinished run has left.
  bool overwrite = false;
};

/// One thread at a time, of the process that made it: a fork can do nothing with its copy, and ends without
/// touching the files. append() encodes on all threads of with_threads(); one more writes the rows that
/// were encoded before.
class DatasetWriter {
 public:
  /// Makes the folder and locks it. `encoder` must outlive the writer. A dataset that is to be replaced stays
  /// as it is until finish(): the new one is made in `dataset.tmp` beside it, and there is to be room for
  /// both. Throws ConfigError where the folder holds a dataset, finished or not, and `overwrite` is not
  /// given, where it holds lookup tables, or another run writes there, and for shards of 0 bytes; FileError.
  DatasetWriter(const Encoder& encoder, const DatasetWriterOptions& options);
  DatasetWriter(const Encoder&&, const DatasetWriterOptions&) = delete;  // it would be gone
  /// Discards what was not finished.
  ~DatasetWriter();
  DatasetWriter(const DatasetWriter&) = delete;
  DatasetWriter& operator=(const DatasetWriter&) = delete;

  /// Adds the rows of a table, whose columns are found by their names. Rows that cannot be encoded are listed
  /// in `rejected.tsv`, numbered from 1 over all tables. Throws DataError for the row that is one too many,
  /// ConfigError for a value that has no text, and FileError, also for rows of earlier calls: then the
  /// dataset is discarded. ConfigError where a field is missing, and for a column of lists, or of a type that
  /// has no text, where a value is needed: that changes nothing. Cost: memory for the codes of some 100,000
  /// rows, or where these are very wide about 128 MiB; where they have any number of values, about twice that.
  void append(const ColumnTable& table);
  /// Adds rows that the same encoder has encoded, or one of the same fingerprint. `rejected`: those it could not
  /// encode, in order, by their places among all that it was given since the last append(); they are listed and
  /// counted as above. Throws ShapeError where they are out of order, and where the rows are of another encoding,
  /// also where it has the same columns, DataError where a code is out of range, which both change nothing; DataError
  /// for the rejected row that is one too many and FileError as above.
  void append(const CodeBatchView& rows, std::span<const EncodeIssue> rejected = {});

  /// Puts the dataset in place and returns its manifest. Throws ConfigError where it was finished or
  /// discarded, FileError. After a FileError the writer is discarded: all rows have to be written again by
  /// another one. But where only the move over an old dataset has failed, the new one lies whole in
  /// `dataset.tmp`, and the next run into the folder may put it in place (docs/reliability.md).
  Manifest finish();
  /// Removes what was written, and the folder where it was made for it and is empty; otherwise that stays,
  /// and is unlocked, with the dataset that was to be replaced. Does nothing after finish().
  void discard() noexcept;
  /// Whether it takes rows: it is neither finished nor discarded.
  bool is_open() const noexcept { return impl_ != nullptr; }

 private:
  class Impl;
  Impl& open() const;
  template <class Write>
  auto or_discard(const Write& write);

  std::unique_ptr<Impl> impl_;  // null once it is finished or discarded
};

}  // namespace widehash
