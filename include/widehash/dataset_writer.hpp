#pragma once

/// \file
/// Writes rows in memory as a dataset, batch by batch. This is what transform() does with files, for ETL jobs
/// that have no text files.
///
///     widehash::DatasetWriter writer(encoder, {.output_directory = "train"});
///     while (const auto batch = arrow.next()) writer.append(*batch);
///     writer.finish();
///
/// The shards hold the same rows in the same order as the shards that transform() makes of the same values as
/// text. They depend neither on how rows are divided into batches nor on threads. A writer that was killed
/// cannot be resumed, because its rows cannot be read again.

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
  std::string output_directory;                     // resolved when the writer is made
  std::uint64_t max_bad_rows = 0;                   // writing fails if there are more
  std::uint64_t shard_bytes = default_shard_bytes;  // encoded bytes per shard, approximate; at least one row
  /// Replace an existing dataset, which stays until the new one is complete, or the remains of an unfinished
  /// run.
  bool overwrite = false;
};

/// Not thread-safe, and for use only by the process that made it: in a forked child, the copy can do nothing
/// and its destruction does not touch the files. append() encodes on all threads of with_threads(); one more
/// thread writes the rows encoded before.
class DatasetWriter {
 public:
  /// Makes the folder and locks it. `encoder` must outlive the writer. A dataset that is to be replaced stays
  /// unchanged until finish(). The new one is made in `dataset.tmp` inside the same folder, so there must be
  /// disk space for both. Throws ConfigError if the folder holds a dataset, finished or not, and `overwrite`
  /// is not set, if the folder holds lookup tables, if another run is writing there, or if `shard_bytes` is
  /// 0. Throws FileError.
  DatasetWriter(const Encoder& encoder, const DatasetWriterOptions& options);
  DatasetWriter(const Encoder&&, const DatasetWriterOptions&) = delete;  // the encoder would dangle
  /// Discards the dataset unless it was finished.
  ~DatasetWriter();
  DatasetWriter(const DatasetWriter&) = delete;
  DatasetWriter& operator=(const DatasetWriter&) = delete;

  /// Adds the rows of a table, finding columns by name. Rows that cannot be encoded are listed in
  /// `rejected.tsv`, numbered from 1 over all tables.
  ///
  /// Throws DataError if there are more than max_bad_rows such rows, ConfigError if a value has no text, and
  /// FileError, which may concern rows of earlier calls. The dataset is discarded in these cases. Throws
  /// ConfigError without changing anything if a field is missing, or if a needed column holds lists where
  /// single values are needed or has a type without text.
  ///
  /// Memory: the codes of some 100,000 rows, or about 128 MiB if rows are very wide; about twice that if rows
  /// have any number of values.
  void append(const ColumnTable& table);
  /// Adds rows encoded by the same encoder, or by one with the same fingerprint. `rejected` lists the rows it
  /// could not encode, in order, numbered over all rows given to it since the last append(). They are listed
  /// and counted as above.
  ///
  /// Throws without changing anything: ShapeError if `rejected` is out of order or if the rows are of another
  /// encoding, even one with the same columns, and DataError if a code is out of range. Also throws DataError
  /// for rejected rows beyond max_bad_rows, and FileError, as above.
  void append(const CodeBatchView& rows, std::span<const EncodeIssue> rejected = {});

  /// Puts the dataset in place and returns its manifest. Throws ConfigError if it was already finished or
  /// discarded, and FileError. After a FileError the writer is discarded, and another writer has to write all
  /// rows again. The exception is a failure of only the final move over an old dataset: the new dataset is
  /// then complete in `dataset.tmp`, and the next run into the folder can put it in place
  /// (docs/reliability.md).
  Manifest finish();
  /// Removes what was written. Also removes the folder if the writer made it and it is empty; otherwise the
  /// folder stays and is unlocked, together with any dataset that was to be replaced. Does nothing after
  /// finish().
  void discard() noexcept;
  /// Whether the writer takes rows, that is, it was neither finished nor discarded.
  bool is_open() const noexcept { return impl_ != nullptr; }

 private:
  class Impl;
  Impl& open() const;
  template <class Write>
  auto or_discard(const Write& write);

  std::unique_ptr<Impl> impl_;  // null after finish() or discard()
};

}  // namespace widehash
