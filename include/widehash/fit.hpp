#pragma once

/// \file
/// Builds lookup tables from text.

#include <widehash/folds.hpp>
#include <widehash/memory_budget.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema_source.hpp>
#include <widehash/stop.hpp>
#include <widehash/table_set.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

struct FitOptions {
  std::vector<std::string> inputs;
  std::string output_directory;
  std::uint64_t max_bad_rows = 0;  // more bad rows stop the run
  std::uint64_t memory_bytes = default_memory_bytes;
  bool overwrite = false;             // replace existing tables, even equal ones
  const StopFlag* stop = nullptr;     // ends the run before it writes tables
  Folds folds = {};                   // only their rows are counted, as in transform()
  std::vector<std::string> add = {};  // folders of tables to add to the counts
  bool allow_empty = false;           // an input of zero bytes has no rows, as in TransformOptions
};

/// An input that tables count.
struct TableInput {
  std::string path;              // as given
  std::uint64_t size_bytes = 0;  // as on disk; 0 for a pipe
};
/// What tables count.
struct TableSources {
  std::vector<TableInput> inputs = {};  // in the order in which they were counted
  Folds folds = {};                     // of the inputs
  std::uint64_t other_fold_rows = 0;    // of the last fit: good rows that were skipped
};
/// Returns what the tables in a folder count. Has no inputs if there is no record of them, as for tables of
/// version 0.1. Throws FileError.
TableSources sources_of_tables(const std::string& directory);

struct FitReport {
  TableSet tables;
  std::uint64_t rows = 0;          // counted by the tables
  std::uint64_t added_rows = 0;    // of these, rows of added tables
  std::size_t skipped_inputs = 0;  // already counted by added tables, or of zero bytes
  /// Inputs that added tables count with other bytes. They are now counted with their present bytes too.
  std::vector<std::string> changed_inputs = {};
  /// Inputs with the same bytes as one that added tables count from another place.
  std::vector<std::string> copied_inputs = {};
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // good rows that were skipped
  std::uint64_t input_bytes = 0;      // as on disk, without skipped inputs
  std::uint64_t text_bytes = 0;       // decompressed
  std::size_t spilled_runs = 0;       // spilled because the memory was full
  /// The tables of the same inputs and schema existed already, and nothing was written.
  bool already_complete = false;
  std::string rejected_file;  // "" if no row was rejected
  bool is_main = true;        // whether this process has the complete report
};

/// Counts the distinct values of every hashed feature, and the moments of every numeric one, within
/// `memory_bytes`. Writes `output_directory`/tables.json and one table per hashed feature. The bytes are the
/// same for any number of threads and processes, and any budget. Existing tables stay as they are until the
/// new ones are complete (table_place.hpp). Without `overwrite`, tables of the same inputs and schema are not
/// made again, and other tables are refused. Processes share the work as in transform(). Throws what
/// transform() throws.
///
/// With `add`, the tables equal those of one fit over all inputs: `inputs`, which may then be empty, and the
/// inputs of the tables in these folders, with the same schema and folds. Only the moments of numeric
/// features may differ in their last bits. One of `inputs` that the added tables already count, judging by
/// its place, its size and a sample of its bytes, is left out. Two sets that count the same input are
/// refused. `output_directory` may be one of the folders. Its tables are then replaced; if they already count
/// everything that is to be added, nothing is done.
FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress = {});

/// Verifies that `fit.json`, the record of what the tables were made from, is intact and belongs to them, if
/// it exists. Throws DataError, FileError.
void verify_fit_record(const TableSet& set);

}  // namespace widehash
