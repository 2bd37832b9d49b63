#pragma once

/// \file
/// What `fit` writes to a directory: `tables.json`, one lookup table per hashed feature, and the moments of
/// numeric features.

#include <widehash/lookup_table.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// Mean and population standard deviation of a numeric feature over the rows that have a value.
struct NumericMoments {
  std::uint64_t count = 0;
  double mean = 0;
  double standard_deviation = 0;
};

/// The contents of `tables.json`: for each feature, in schema order, where its table is and what it should
/// hold. The values are in the tables, which open_table() opens.
struct TableSet {
  std::string directory;
  std::string schema_fingerprint;
  std::string fingerprint;  // covers the contents of all tables
  std::uint64_t rows = 0;
  struct Item {
    std::string feature;
    std::string file = {};  // within the directory; empty where the feature is numeric or ignored
    std::uint64_t num_values = 0;
    std::uint64_t file_checksum = 0;  // SectionFile::footer_checksum()
    NumericMoments moments = {};      // numeric features
  };
  std::vector<Item> items;  // in schema order, one per feature
};

/// The folder of the tables when a user names `directory`: that directory or, for a dataset, its `tables`
/// folder.
std::string tables_folder(const std::string& directory);
/// Whether tables_folder(directory) holds tables.
bool has_table_set(const std::string& directory);

/// Reads tables.json of tables_folder(directory). Throws FileError; DataError, also if a `fit` was killed
/// while it put tables in place (table_place.hpp); ConfigError if the tables were made with a schema other
/// than `schema` (null: any schema).
TableSet load_table_set(const std::string& directory, const Schema* schema = nullptr);
/// Returns the schema file beside the tables; empty if there is none or it is another schema. Throws
/// ConfigError if that file is not a schema.
std::optional<Schema> schema_of(const TableSet& set);
/// Opens the lookup table of the feature at that position and checks its checksums. Throws DataError if the
/// file is damaged or is not the one that the set was written with; ConfigError if the feature has no table.
LookupTable open_table(const TableSet& set, std::size_t feature);

struct VerifyTablesReport {
  std::uint64_t tables = 0;
  std::uint64_t values = 0;
  std::uint64_t rows = 0;  // counted by `fit`
  std::uint64_t bytes = 0;
};
/// Reads a set and all its tables again and checks every checksum, that hashes, codes, order and counts match
/// the values, and that a schema beside the tables is theirs. Continues after a damaged table. Uses all
/// threads of the current limit. `progress` receives features as bytes and values as rows; it is also called
/// within a large table, so that it can stop the work soon. Throws DataError naming the damaged file, or
/// DamagedFiles if there are several; FileError if a file cannot be read.
VerifyTablesReport verify_tables(const TableSet& set, const ProgressCallback& progress = {});

/// Writes `set.directory/tables.json` atomically and sets set.fingerprint. Throws FileError.
void write_table_set(TableSet& set);

}  // namespace widehash
