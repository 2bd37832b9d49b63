#pragma once

/// \file
/// Text to a dataset of shards.

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
  std::string tables_directory;                     // what `fit` wrote; needed for exact and standardize
  std::uint64_t max_bad_rows = 0;                   // more of them stop the run
  std::uint64_t block_bytes = default_block_bytes;  // input bytes to a shard
  std::uint64_t memory_bytes = default_memory_bytes;
  bool overwrite =
      false;  // replace a dataset, which stays until the new one is whole, or another unfinished run
  const StopFlag* stop = nullptr;  // ends the run when the shards at hand are in the journal
  Folds folds = {};                // those whose rows are encoded; bad rows are rejected whatever their fold
  bool allow_empty = false;  // an input without a byte has no rows; else it is an error where a header is due
};

struct TransformReport {
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // good ones that were passed over
  std::uint64_t shards = 0;
  std::uint64_t resumed_shards = 0;  // found finished from an earlier run
  std::uint64_t resumed_rows = 0;    // in those: all others are of this run
  std::uint64_t input_bytes = 0;     // as on disk
  std::uint64_t text_bytes = 0;      // decompressed, taken in by this run
  std::uint64_t output_bytes = 0;
  std::uint64_t num_columns = 0;
  bool already_complete = false;
  std::string rejected_file;  // "" where nothing was rejected
  bool is_main = true;        // whether this is the process whose report is complete
};

/// Encodes the inputs to shards in `output_directory`. A run that was stopped or killed is carried on when
/// started again, without the shards of inputs that have changed since; the bytes written do not depend on
/// threads, processes or interruptions. The header of every input that can be read twice is looked at before
/// anything is written or removed. A finished dataset that is to be replaced is sound until the new one is
/// whole, which is made in `dataset.tmp` beside it: there is to be room for both.
/// The threads are those of with_threads().
/// Started by mpirun, all processes share the work: each needs inputs, tables and the output folder under the
/// same paths, and one (is_main) makes the report and the calls of `progress`. Throws CommError where another
/// process failed or is gone; ConfigError (folder holds something else, or the same with more bad rows left
/// out than `max_bad_rows`; tables missing; a field that an input lacks), DataError (first bad row past
/// max_bad_rows; cut input; counts that do not reconcile; a finished dataset of which shards are missing),
/// FileError, Stopped.
TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress = {});

}  // namespace widehash
