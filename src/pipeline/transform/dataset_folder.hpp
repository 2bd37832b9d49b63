#pragma once

/// \file
/// The folder of a dataset before `transform` writes to it: checks and clears what is already there.

#include "ingest/block_report.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Returns whether `transform` may write or remove a file of this name.
bool is_dataset_file(std::string_view name);

/// Removes the dataset in the folder, finished or not; other files stay. Throws FileError where its manifest
/// cannot be removed.
void clear_dataset(const std::string& directory);

/// For a folder without a manifest. Throws ConfigError where it has no journal either, but holds shards, with
/// which new ones would be mixed, or files that refuse_foreign_texts() refuses: they belong to somebody.
void refuse_foreign_files(const std::string& directory, std::string_view schema_toml);

/// Throws ConfigError where the folder holds lookup tables and no dataset: their schema.toml and rejected.tsv
/// would be replaced, and tables of another schema would be mistaken for those of the dataset.
void refuse_tables(const std::string& directory);

/// Like refuse_foreign_files(), but also refuses a folder that has a dataset, finished or not.
void require_no_dataset(const std::string& directory, std::string_view schema_toml);

/// Removes shards that `entries` do not name, and files that were left half written: the new run has no use for them.
void remove_leftovers(const std::string& directory, const std::vector<BlockReport>& entries);

}  // namespace widehash
