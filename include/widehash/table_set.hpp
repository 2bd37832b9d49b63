#pragma once

/// \file
/// What `fit` leaves in a directory: `tables.json`, a lookup table a hashed feature, and the moments of
/// numeric ones.

#include <widehash/lookup_table.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// Mean and spread of a numeric feature over the rows that have a value; population standard deviation.
struct NumericMoments {
  std::uint64_t count = 0;
  double mean = 0;
  double standard_deviation = 0;
};

/// What `tables.json` says: of each feature, in the order of the schema, where its table is and what it should be.
/// Values are in the tables, which open_table() opens.
struct TableSet {
  std::string directory;
  std::string schema_fingerprint;
  std::string fingerprint;  // stands for the contents of all tables
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

/// Where the tables are that somebody names by `directory`: in it, or, in that of a dataset, in its `tables`.
std::string tables_folder(const std::string& directory);
/// Whether there are any.
bool has_table_set(const std::string& directory);

/// Reads tables.json of tables_folder(directory). Throws FileError; DataError, also where a `fit` was killed
/// while it put tables in place (table_place.hpp); ConfigError where the tables were made with another schema
/// than `schema` (null: any).
TableSet load_table_set(const std::string& directory, const Schema* schema = nullptr);
/// The schema that stands beside the tables; nothing where it is not there, or another one. Throws ConfigError where
/// what is there is no schema.
std::optional<Schema> schema_of(const TableSet& set);
/// Opens the lookup table of the feature at that position and reads its checksums. Throws DataError where the
/// file is damaged or not the one that the set was written with.
LookupTable open_table(const TableSet& set, std::size_t feature);

struct VerifyTablesReport {
  std::uint64_t tables = 0;
  std::uint64_t values = 0;
  std::uint64_t rows = 0;  // counted by `fit`
  std::uint64_t bytes = 0;
};
/// Reads a set and all its tables again: every checksum, and that hashes, codes, order and counts are those
/// of the values, and that a schema beside them is theirs; goes on behind a damaged table. `progress` is given
/// features where it says bytes, and values where it says rows, and is called within a large table too, so that it
/// may stop the work soon.
/// Throws DataError naming the file that is wrong, DamagedFiles where there are several; FileError where one
/// cannot be read.
VerifyTablesReport verify_tables(const TableSet& set, const ProgressCallback& progress = {});

/// Writes `set.directory/tables.json` atomically and fills in set.fingerprint. Throws FileError.
void write_table_set(TableSet& set);

}  // namespace widehash
