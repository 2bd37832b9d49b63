#pragma once

/// \file
/// The folder of a dataset before `transform` writes to it: what lies there already.

#include "ingest/block_report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Whether `transform` may write a file of this name, or remove it.
bool is_dataset_file(std::string_view name);

/// Removes the dataset in the folder, finished or not; other files stay. Throws FileError where its manifest
/// cannot be removed.
void clear_dataset(const std::string& directory);

/// Of a folder without a manifest. Throws ConfigError where it has no journal either, but shards, among which
/// new ones would be mixed, or what refuse_foreign_texts() refuses: they are somebody's.
void refuse_foreign_files(const std::string& directory, std::string_view schema_toml);

/// Throws ConfigError where the folder holds lookup tables and no dataset: their schema.toml and rejected.tsv
/// would be replaced, and tables of another schema would be taken for those of the dataset.
void refuse_tables(const std::string& directory);

/// As refuse_foreign_files(), and also where it has a dataset, finished or not.
void require_no_dataset(const std::string& directory, std::string_view schema_toml);

/// Removes shards that `entries` do not name, and files written aside: of no use to the run that starts now.
void remove_leftovers(const std::string& directory, const std::vector<BlockReport>& entries);

}  // namespace widehash
