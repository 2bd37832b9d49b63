#pragma once

/// \file
/// Encodes text as a dataset of shards.

#include <widehash/folds.hpp>
#include <widehash/memory_budget.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema_source.hpp>
#include <widehash/stop.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

inline constexpr std::uint64_t default_block_bytes = std::uint64_t{32} << 20;

struct TransformOptions {
  std::vector<std::string> inputs;  // files, globs, "-"
  std::string output_directory;
  std::string tables_directory = {};                // what `fit` wrote; needed for exact and standardize
  std::uint64_t max_bad_rows = 0;                   // more of them stop the run
  std::uint64_t block_bytes = default_block_bytes;  // input bytes per shard
  std::uint64_t memory_bytes = default_memory_bytes;
  /// Replace an existing dataset, which stays until the new one is complete, or another unfinished run.
  bool overwrite = false;
  const StopFlag* stop = nullptr;  // ends the run once the current shards are in the journal
  Folds folds = {};                // folds to encode; bad rows are rejected whatever their fold
  bool allow_empty = false;        // an empty input has no rows; otherwise an error if a header is due
};

struct TransformReport {
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // good rows of folds that were not encoded
  std::uint64_t shards = 0;
  std::uint64_t resumed_shards = 0;  // finished by an earlier run
  std::uint64_t resumed_rows = 0;    // rows in those; all others are of this run
  std::uint64_t input_bytes = 0;     // as on disk
  std::uint64_t text_bytes = 0;      // decompressed, read by this run
  std::uint64_t output_bytes = 0;
  std::uint64_t num_columns = 0;
  bool already_complete = false;
  std::string rejected_file;  // "" if nothing was rejected
  bool is_main = true;        // whether this process has the complete report
};

/// Encodes the inputs as shards in `output_directory`. A run that was stopped or killed is resumed by
/// starting it again, without the shards of inputs that have changed since. The bytes written depend neither
/// on threads nor on processes nor on interruptions. The header of every input that can be read twice is
/// checked before anything is written or removed. A finished dataset that is to be replaced stays intact
/// until the new one, which is made in `dataset.tmp` inside the same folder, is complete; there must be room
/// for both. The threads are those of with_threads().
/// If started by mpirun, all processes share the work. Each needs inputs, tables and the output folder under
/// the same paths, and one of them (is_main) makes the report and calls `progress`.
/// Throws CommError if another process failed or is gone; ConfigError (the folder holds something else, or
/// the same dataset with more bad rows left out than `max_bad_rows`; tables are missing; an input lacks a
/// field); DataError (the first bad row past max_bad_rows; a truncated input; counts that do not reconcile; a
/// finished dataset with missing shards); FileError; Stopped.
TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress = {});

}  // namespace widehash
