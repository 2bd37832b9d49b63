#include "dataset_folder.hpp"

#include "dataset_replacement.hpp"
#include "ingest/foreign_texts.hpp"
#include "transform_journal.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/move_file.hpp>
#include <widehash/written_kind.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace widehash {
namespace fs = std::filesystem;

bool is_dataset_file(std::string_view name) {
  name = name_in_place(name);
  // Not schema.toml: a dataset may be made anew from its own schema, which is then written unchanged.
  return name == manifest_name || name == journal_name || name == rejected_name || is_shard_name(name);
}

void clear_dataset(const std::string& directory) {
  // The manifest is removed first, and durably: a half-removed dataset must not look whole.
  if (remove_file(in_folder(directory, manifest_name))) sync_directory(directory);
  // schema.toml stays until it is replaced: it may be the very schema that was given, and the only copy.
  std::error_code ignored;
  for (const std::string& name : list_directory(directory)) {
    if (is_shard_name(name_in_place(name)) || name == journal_name || name == rejected_name)
      fs::remove(fs::path(directory) / name, ignored);
  }
}

void refuse_foreign_files(const std::string& directory, std::string_view schema_toml) {
  if (file_exists(TransformJournal::path_in(directory))) return;
  refuse_foreign_texts(directory, schema_toml);
  for (const std::string& name : list_directory(directory)) {
    if (name.ends_with(".shard")) {
      throw ConfigError(
          fmt::format("{}: holds shards ({}) without a manifest or a journal to carry on from; choose an "
                      "empty folder, or give --overwrite",
                      directory, name));
    }
  }
}

void refuse_tables(const std::string& directory) {
  if (written_kind(directory) != WrittenKind::tables) return;
  throw ConfigError(fmt::format("{}: holds lookup tables; give the dataset a folder of its own", directory));
}

void require_no_dataset(const std::string& directory, std::string_view schema_toml) {
  const bool is_finished = has_finished_dataset(directory);
  if (is_finished || file_exists(TransformJournal::path_in(directory)) ||
      file_exists(TransformJournal::path_in(replacement_folder(directory)))) {
    throw ConfigError(
        fmt::format("{}: already holds {}; choose another folder, or give --overwrite to replace it",
                    directory, is_finished ? "a dataset" : "what an unfinished transform has written"));
  }
  refuse_foreign_files(directory, schema_toml);
}

void remove_leftovers(const std::string& directory, const std::vector<BlockReport>& entries) {
  std::vector<std::string> known;
  for (const BlockReport& entry : entries) {
    if (entry.shard) known.push_back(entry.shard->file);
  }
  std::sort(known.begin(), known.end());
  for (const std::string& name : list_directory(directory)) {
    const std::string_view final_name = name_in_place(name);
    const bool is_half_written =
        name != final_name && (is_shard_name(final_name) || final_name == rejected_name);
    const bool is_unknown = is_shard_name(name) && !std::binary_search(known.begin(), known.end(), name);
    std::error_code ignored;
    if (is_half_written || is_unknown) fs::remove(fs::path(directory) / name, ignored);
  }
}

}  // namespace widehash
