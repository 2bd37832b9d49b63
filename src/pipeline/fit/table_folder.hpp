#pragma once

/// \file
/// The folder of lookup tables before `fit` writes to it: what lies there already.

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

/// Whether `fit` may write a file of this name, or remove it.
bool is_table_set_file(std::string_view name);

/// Whether the folder holds a set.
bool has_tables(const std::string& directory);

/// Where a run that fails leaves its list of bad rows: not in the place of the list that is part of a set.
std::string list_of_failed(const std::string& directory);

struct FoundTables {
  TableSet set;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;
};

/// The set in the folder, where it was made from what `wanted` says: the same schema, inputs, folds and tables that
/// were added; nothing where there is none, or the same one is damaged, so that making it again mends it. `inputs`
/// are those of this run. Reads the checksums of the tables. Throws ConfigError, saying what differs, where it is
/// another set or nobody can tell; FileError.
std::optional<FoundTables> find_tables(const std::string& directory, const Schema& schema,
                                       const std::vector<Input>& inputs, const FitRecord& wanted);

/// Throws ConfigError where the folder holds a dataset, whose schema.toml and rejected.tsv would be replaced.
void refuse_dataset(const std::string& directory);

/// Of a folder without a set, and without --overwrite: throws ConfigError where a file is somebody's that a set would
/// replace, or its failure remove. As refuse_foreign_texts() for a schema and a list of bad rows.
void refuse_foreign_table_files(const std::string& directory, std::string_view schema_toml);

/// What the set in the folder consists of beside its list: a new one that has no such files leaves none of
/// them.
std::vector<std::string> files_of_tables(const std::string& directory);

}  // namespace widehash
