#include "table_folder.hpp"

#include "ingest/foreign_texts.hpp"
#include "ingest/input_sign.hpp"
#include "ingest/rejected_rows.hpp"
#include "ingest/schema_difference.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr std::string_view failed_name = "rejected.failed.tsv";

std::optional<TableSet> sound_set(const std::string& directory) {
  try {
    TableSet set = load_table_set(directory);
    for (std::size_t i = 0; i < set.items.size(); ++i) {
      if (!set.items[i].file.empty()) open_table(set, i);
    }
    return set;
  } catch (const DataError&) {
    return std::nullopt;
  } catch (const FileError& error) {
    if (error.code() == ENOENT) return std::nullopt;
    throw;
  }
}

std::string difference_from(const std::optional<FitRecord>& record, const std::string& directory,
                            const Schema& schema, const std::vector<Input>& inputs, const FitRecord& wanted) {
  if (!record) return "what they were made from is not recorded";
  if (record->schema_fingerprint != schema.fingerprint()) {
    return "they were made with another schema" +
           schema_difference_note(directory, record->schema_fingerprint, schema);
  }
  if (record->folds != wanted.folds)
    return fmt::format("they were made from {}, not from {}", rows_of(record->folds), rows_of(wanted.folds));
  std::string difference = describe_difference(signs_of(record->inputs), signs_of(wanted.inputs));
  if (!difference.empty()) return difference;
  if (record->added != wanted.added)
    return record->added.empty() ? "they were made without --add"
                                 : "they were made by adding to other tables";
  const std::string stream = stream_among(inputs);
  if (stream.empty()) return "";
  return stream + " cannot be read twice, so there is no way to tell whether it is the same";
}

}  // namespace

bool is_table_set_file(std::string_view name) {
  name = name_in_place(name);
  // schema.toml is not included: a set may be made again from its own schema.toml, which is then written
  // unchanged.
  return name == table_list_name || name == fit_record_name || name == rejected_name || name == failed_name ||
         name.ends_with(".table");
}

bool has_tables(const std::string& directory) { return file_exists(in_folder(directory, table_list_name)); }

std::string list_of_failed(const std::string& directory) {
  return in_folder(directory, has_tables(directory) ? failed_name : rejected_name);
}

std::optional<FoundTables> find_tables(const std::string& directory, const Schema& schema,
                                       const std::vector<Input>& inputs, const FitRecord& wanted) {
  if (!has_tables(directory)) return std::nullopt;
  const auto record = read_fit_record(directory);
  std::string difference = difference_from(record, directory, schema, inputs, wanted);
  std::optional<TableSet> set = difference.empty() ? sound_set(directory) : std::nullopt;
  if (set && set->fingerprint != record->tables_fingerprint)
    difference = "they are not the ones that fit wrote here";
  if (!difference.empty()) {
    const bool may_be_added_to =
        record && record->schema_fingerprint == schema.fingerprint() && record->folds == wanted.folds;
    throw ConfigError(fmt::format(
        "{0}: already holds tables, but {1}; choose another folder{2}, or give --overwrite to replace them",
        directory, difference,
        may_be_added_to ? fmt::format(", use --add {} to add to them", directory) : ""));
  }
  if (!set) return std::nullopt;
  return FoundTables{std::move(*set), record->rejected_rows, record->other_fold_rows};
}

void refuse_dataset(const std::string& directory) {
  if (!file_exists(in_folder(directory, manifest_name)) && !file_exists(in_folder(directory, journal_name)))
    return;
  throw ConfigError(fmt::format(
      "{0}: holds a dataset; give the tables a folder of their own, such as {0}/tables", directory));
}

void refuse_foreign_table_files(const std::string& directory, std::string_view schema_toml) {
  refuse_foreign_texts(directory, schema_toml);
  if (read_fit_record(directory)) return;  // the rest of a set is completed
  for (const std::string& name : list_directory(directory)) {
    const std::string path = in_folder(directory, name);
    const bool is_foreign_list = name == failed_name && !is_rejected_list(path);
    if (name != fit_record_name && !name.ends_with(".table") && !is_foreign_list) continue;
    throw ConfigError(
        fmt::format("{}: would be overwritten or removed, but belongs to no tables that widehash wrote "
                    "there; choose another folder, or give --overwrite",
                    path));
  }
}

std::vector<std::string> files_of_tables(const std::string& directory) {
  std::vector<std::string> files = {std::string(rejected_name), std::string(failed_name)};
  if (!has_tables(directory)) return files;
  try {
    for (const TableSet::Item& item : load_table_set(directory).items) {
      if (!item.file.empty()) files.push_back(item.file);
    }
  } catch (const DataError&) {
    // A damaged list names no other files.
  }
  return files;
}

}  // namespace widehash
