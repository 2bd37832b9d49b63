#pragma once

/// \file
/// The two ways a directory of text is taken in: `transform` to a dataset of shards, `fit` to lookup tables.

#include <widehash/lookup_table.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>
#include <widehash/stop.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

inline constexpr std::uint64_t default_block_bytes = std::uint64_t{32} << 20;
inline constexpr std::uint64_t default_memory_bytes = std::uint64_t{2} << 30;

/// A schema and the text it was read from, which datasets keep with its comments.
struct SchemaSource {
  Schema schema;
  std::string toml;
};
SchemaSource load_schema_source(const std::string& path);

struct TransformOptions {
  std::vector<std::string> inputs;  // files, globs, "-"
  std::string output_directory;
  std::string tables_directory;                     // what `fit` wrote; needed for exact and standardize
  std::uint64_t max_bad_rows = 0;                   // more of them stop the run
  std::uint64_t block_bytes = default_block_bytes;  // input bytes to a shard
  std::uint64_t memory_bytes = default_memory_bytes;
  bool overwrite = false;          // replace a dataset, or the unfinished run of something else
  const StopFlag* stop = nullptr;  // ends the run when the shards at hand are in the journal
};

struct TransformReport {
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t shards = 0;
  std::uint64_t resumed_shards = 0;  // found finished from an earlier run
  std::uint64_t input_bytes = 0;     // as on disk
  std::uint64_t text_bytes = 0;      // decompressed, taken in by this run
  std::uint64_t output_bytes = 0;
  std::uint64_t num_columns = 0;
  bool already_complete = false;
  std::string rejected_file;  // "" where nothing was rejected
  bool is_main = true;        // whether this is the process whose report is complete
};

/// Encodes the inputs to shards in `output_directory`. A run that was stopped or killed is carried on when started again;
/// the bytes written do not depend on threads, processes or interruptions. The threads are those of with_threads().
/// Started by mpirun, all processes share the work: each needs inputs, tables and the output folder under the same paths, and
/// one (is_main) makes the report and the calls of `progress`. Throws CommError where another process failed or is gone;
/// ConfigError (folder holds something else; tables missing), DataError (first bad row past max_bad_rows; cut
/// input; counts that do not reconcile), FileError, Stopped.
TransformReport transform(const SchemaSource& schema, const TransformOptions& options,
                          const ProgressCallback& progress = {});

struct FitOptions {
  std::vector<std::string> inputs;
  std::string output_directory;
  std::uint64_t max_bad_rows = 0;
  std::uint64_t memory_bytes = default_memory_bytes;
  bool overwrite = false;          // replace tables that are there, also the same
  const StopFlag* stop = nullptr;  // ends the run before it writes tables
};

struct FitReport {
  TableSet tables;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t text_bytes = 0;
  std::size_t spilled_runs = 0;
  bool already_complete =
      false;  // the tables of the same inputs and schema were there, and nothing was written
  std::string rejected_file;
  bool is_main = true;  // whether this is the process whose report is complete
};

/// Counts the distinct values of every hashed feature, and the moments of every numeric one, within `memory_bytes`.
/// Writes `output_directory`/tables.json and a table a feature: the same bytes for any number of threads and processes, and any
/// budget. Tables that are there stay as they are until the new ones are whole (table_place.hpp); those of the same inputs and
/// schema are not made again, and others are refused without `overwrite`. Processes share the work as those of transform() do.
/// Same errors as transform().
FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress = {});

}  // namespace widehash
