#pragma once

/// \file
/// Text to lookup tables.

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
  std::uint64_t max_bad_rows = 0;  // more of them stop the run
  std::uint64_t memory_bytes = default_memory_bytes;
  bool overwrite = false;             // replace tables that are there, also the same
  const StopFlag* stop = nullptr;     // ends the run before it writes tables
  Folds folds = {};                   // those whose rows are counted, as those that transform() encodes
  std::vector<std::string> add = {};  // folders of tables to count on from
  bool allow_empty = false;           // an input without a byte has no rows, as in TransformOptions
};

/// What tables count.
struct TableInput {
  std::string path;              // as it was given
  std::uint64_t size_bytes = 0;  // as on disk; 0 of a pipe
};
/// Of the tables in a folder, in the order in which they came; empty where nothing says so, as with tables of 0.1.
/// Throws FileError.
std::vector<TableInput> inputs_of_tables(const std::string& directory);

struct FitReport {
  TableSet tables;
  std::uint64_t rows = 0;                        // that the tables count
  std::uint64_t added_rows = 0;                  // of these, those of tables that were added
  std::size_t skipped_inputs = 0;                // that these count already, or that have no byte
  std::vector<std::string> changed_inputs = {};  // that these count with other bytes, and now as they are too
  std::vector<std::string> copied_inputs =
      {};  // that have the bytes of one that these count by another place
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // good ones that were passed over
  std::uint64_t input_bytes = 0;      // as on disk
  std::uint64_t text_bytes = 0;       // decompressed
  std::size_t spilled_runs = 0;       // written since the memory was full
  /// The tables of the same inputs and schema were there, and nothing was written.
  bool already_complete = false;
  std::string rejected_file;  // "" where nothing was rejected
  bool is_main = true;        // whether this is the process whose report is complete
};

/// Counts the distinct values of every hashed feature, and the moments of every numeric one, within
/// `memory_bytes`. Writes `output_directory`/tables.json and a table a feature: the same bytes for any number
/// of threads and processes, and any budget. Tables that are there stay as they are until the new ones are
/// whole (table_place.hpp); those of the same inputs and schema are not made again, and others are refused
/// without `overwrite`. Processes share the work as those of transform() do. Same errors as transform().
///
/// With `add` the tables are those of one fit over all inputs: of `inputs`, which may then be none, and of what the
/// tables in these folders were made from, with the same schema and folds. Only the moments of numeric features
/// may differ in their last bits. One of `inputs` that they count already, by its place, size and a sample of its
/// bytes, is left out; two sets that count the same input are refused. `output_directory` may be one of the folders:
/// its tables are replaced then, and where they count all that is to be added nothing is done.
FitReport fit(const SchemaSource& schema, const FitOptions& options, const ProgressCallback& progress = {});

/// Of tables: that the record of what they were made from, `fit.json`, is whole and theirs, where there is one.
/// Throws DataError, FileError.
void verify_fit_record(const TableSet& set);

}  // namespace widehash
