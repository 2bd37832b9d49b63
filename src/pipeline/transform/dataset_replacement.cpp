#include "dataset_replacement.hpp"

#include "dataset_folder.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>
#include <widehash/internal/move_file.hpp>
#include <widehash/manifest.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace widehash {
namespace fs = std::filesystem;
namespace {

/// Removes the files of the old dataset that no file of the new one has replaced.
void remove_outdated(const std::string& directory, const Manifest& manifest) {
  std::vector<std::string_view> named;
  for (const ManifestShard& shard : manifest.shards) named.push_back(shard.file);
  std::sort(named.begin(), named.end());
  for (const std::string& name : list_directory(directory)) {
    if (is_shard_name(name) && !std::binary_search(named.begin(), named.end(), name))
      remove_file(in_folder(directory, name));
  }
  if (manifest.rejected_rows == 0) remove_file(in_folder(directory, rejected_name));
}

void move_in(const std::string& directory, const Manifest& manifest) {
  const std::string folder = replacement_folder(directory);
  // The journal goes first: while it is there, readers of the folder are told of a run that continues when it
  // is started again.
  if (file_exists(in_folder(folder, journal_name)))
    move_file(in_folder(folder, journal_name), in_folder(directory, journal_name));
  for (const std::string& name : list_directory(folder)) {
    if (name != manifest_name && !name.ends_with(".tmp"))
      move_file(in_folder(folder, name), in_folder(directory, name));
  }
  remove_outdated(directory, manifest);
  sync_directory(directory);
  move_file(in_folder(folder, manifest_name), in_folder(directory, manifest_name));
  sync_directory(directory);
  std::error_code ignored;
  fs::remove(in_folder(directory, journal_name), ignored);
  drop_replacement(directory);
}

}  // namespace

std::string replacement_folder(const std::string& directory) { return directory + "/dataset.tmp"; }

bool has_finished_dataset(const std::string& directory) {
  return file_exists(in_folder(directory, manifest_name));
}

void replace_dataset(const std::string& directory) {
  const Manifest manifest = load_manifest(replacement_folder(directory));
  sync_directory(directory);
  remove_file(in_folder(directory, manifest_name));
  sync_directory(directory);
  move_in(directory, manifest);
}

bool finish_replacement(const std::string& directory, bool overwrite) {
  std::error_code ignored;
  if (fs::is_symlink(replacement_folder(directory), ignored)) {
    throw ConfigError(replacement_folder(directory) +
                      ": is a link, but the dataset is made there and then moved, which works only within "
                      "one file system; remove the link");
  }
  if (has_finished_dataset(directory) || !has_finished_dataset(replacement_folder(directory))) return false;
  std::optional<Manifest> manifest;
  try {
    manifest = load_manifest(replacement_folder(directory));
  } catch (const DataError&) {
    if (!overwrite) throw;
    drop_replacement(directory);
    return false;
  }
  move_in(directory, *manifest);
  return true;
}

void drop_replacement(const std::string& directory) {
  const std::string folder = replacement_folder(directory);
  if (!file_exists(folder)) return;
  clear_dataset(folder);
  std::error_code ignored;
  fs::remove(in_folder(folder, schema_name), ignored);
  fs::remove(folder, ignored);  // stays where somebody has put other files into it
}

}  // namespace widehash
