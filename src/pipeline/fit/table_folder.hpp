#pragma once

/// \file
/// What the folder for lookup tables already holds before `fit` writes to it.

#include "fit_record.hpp"

#include <widehash/input.hpp>
#include <widehash/schema.hpp>
#include <widehash/table_set.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace widehash {

/// Whether `fit` may write or remove a file of this name.
bool is_table_set_file(std::string_view name);

/// Whether the folder holds a set of tables.
bool has_tables(const std::string& directory);

/// Where a run that fails leaves its list of bad rows: not where the list that is part of a set is.
std::string list_of_failed(const std::string& directory);

struct FoundTables {
  TableSet set;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;
};

/// The set in the folder, where it was made from what `wanted` says: the same schema, inputs, folds and added
/// tables. Nothing where there is no set, or where the same set is damaged, so that making it again repairs
/// it. `inputs` are the inputs of this run. Reads the checksums of the tables. Throws ConfigError, saying
/// what differs, where it is another set or this cannot be determined; FileError.
std::optional<FoundTables> find_tables(const std::string& directory, const Schema& schema,
                                       const std::vector<Input>& inputs, const FitRecord& wanted);

/// Throws ConfigError where the folder holds a dataset, because its schema.toml and rejected.tsv would be
/// replaced.
void refuse_dataset(const std::string& directory);

/// For a folder without a set, where --overwrite is not given. Throws ConfigError where a set would replace,
/// or a failed run remove, a file that this program did not write. Calls refuse_foreign_texts() for the
/// schema and the list of bad rows.
void refuse_foreign_table_files(const std::string& directory, std::string_view schema_toml);

/// The tables of the set in the folder and its lists of bad rows: files that are removed where a new set does
/// not have them.
std::vector<std::string> files_of_tables(const std::string& directory);

}  // namespace widehash
