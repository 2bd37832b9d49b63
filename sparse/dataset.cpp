#include "shown_classes.hpp"

#include <widehash/checksum.hpp>
#include <widehash/class_weights.hpp>
#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/file.hpp>
#include <widehash/internal/file_names.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

Manifest open_manifest(const std::string& directory) {
  const std::string path = in_folder(directory, manifest_name);
  if (!file_exists(directory)) throw FileError(directory, "cannot open", ENOENT);
  if (!is_folder(directory)) {
    throw ConfigError(directory + ": is a file; give the folder that `widehash transform` wrote");
  }
  // The journal exists from the first row to the last. It is removed once the manifest is in place.
  if (!file_exists(path) && file_exists(in_folder(directory, journal_name))) {
    throw DataError(path, 0,
                    "is missing because the transform into this folder did not finish; run the same command "
                    "again to continue where it stopped");
  }
  if (!file_exists(path) && file_exists(in_folder(directory, shard_name(0, 0)))) {
    throw DataError(path, 0,
                    "is missing because whatever wrote the shards in this folder did not finish; write the "
                    "dataset again");
  }
  if (!file_exists(path) && file_exists(in_folder(directory, table_list_name)))
    throw ConfigError(directory +
                      ": holds tables and no dataset; `widehash transform` makes one of the rows");
  if (!file_exists(path)) {
    throw DataError(path, 0,
                    "is missing, and without it the folder is not a dataset; give one that `widehash "
                    "transform` wrote, or restore the file from a copy");
  }
  return load_manifest(directory);
}

Schema open_schema(const std::string& directory, const Manifest& manifest) {
  const std::string path = in_folder(directory, schema_name);
  const std::string toml = read_text_file(path);
  if (manifest.schema_checksum != 0 && checksum(std::as_bytes(std::span(toml))) != manifest.schema_checksum) {
    throw DataError(
        path, 0,
        "not the text this dataset was written with (checksum differs); restore it from a copy: a "
        "dataset's schema is frozen");
  }
  return parse_schema(toml, path);
}

/// Called for a shard that could not be opened. Throws DataError if the folder holds another dataset by
/// now.
void require_not_replaced(const std::string& directory, const ManifestShard& shard) {
  std::vector<ManifestShard> now;
  try {
    now = load_manifest(directory).shards;
  } catch (const Error&) {
    return;  // unknown; the caller reports what is wrong with the shard
  }
  if (std::ranges::find(now, shard) != now.end()) return;
  throw DataError(directory, 0, "another dataset was written there since this one was opened; open it again");
}

}  // namespace

Dataset::Dataset(std::string directory)
    : directories_{std::move(directory)},
      manifest_(open_manifest(directories_.front())),
      schema_(open_schema(directories_.front(), manifest_)) {
  const std::string found = schema_.fingerprint();
  if (found != manifest_.schema_fingerprint) {
    throw DataError(in_folder(directories_.front(), schema_name), 0,
                    fmt::format("not the schema this dataset was made with (fingerprint {}, but the manifest "
                                "names {}); restore it from a copy: a dataset's schema is frozen",
                                found, manifest_.schema_fingerprint));
  }
  try {
    layout_ = std::make_shared<const CodeLayout>(
        make_layout(schema_, manifest_.head_columns, manifest_.code_bytes, manifest_.tables_fingerprint));
  } catch (const ShapeError& problem) {
    throw DataError(in_folder(directories_.front(), manifest_name), 0, problem.what());
  } catch (const ConfigError& problem) {
    throw DataError(in_folder(directories_.front(), manifest_name), 0, problem.what());
  }
  if (layout_->num_columns != manifest_.num_columns) {
    throw DataError(
        in_folder(directories_.front(), manifest_name), 0,
        fmt::format("it says {} columns, but its schema makes {}; write the dataset again with --overwrite",
                    manifest_.num_columns, layout_->num_columns));
  }
}

std::string Dataset::name() const {
  const std::size_t others = directories_.size() - 1;
  return others == 0 ? directory() : fmt::format("{} and {} more", directory(), others);
}

const std::string& Dataset::directory_of(std::size_t shard) const {
  return directory_numbers_.empty() ? directory() : directories_[directory_numbers_.at(shard)];
}

Shard Dataset::open_shard(std::size_t index, bool verify) const {
  Shard shard = open_stored_shard(index, verify);
  if (!class_weights_.empty()) shard.weigh_classes(class_weights_, layout_);
  return shard;
}

Shard Dataset::open_stored_shard(std::size_t index, bool verify) const {
  const ManifestShard& expected = manifest_.shards.at(index);
  try {
    return Shard(directory_of(index), expected, stored_layout_ == nullptr ? layout_ : stored_layout_, verify);
  } catch (const Error&) {
    require_not_replaced(directory_of(index), expected);
    throw;
  }
}

void Dataset::weigh_classes(std::vector<double> of_class) {
  check_class_weights(of_class);
  if (!layout_->has_targets)
    throw ConfigError(
        fmt::format("{}: was encoded without a label, so there are no classes to weight", name()));
  const std::vector<std::string>& classes = schema_.label.classes;
  const std::size_t num_classes = std::max<std::size_t>(layout_->num_classes, 2);
  if (of_class.size() != num_classes) {
    throw ConfigError(fmt::format(
        "{} class weight{} given, but the label has {} classes ({}); give one for each, in this order",
        of_class.size(), of_class.size() == 1 ? " is" : "s are", num_classes,
        layout_->num_classes == 0 ? "negative, positive" : shown_classes(classes)));
  }
  if (stored_layout_ == nullptr) stored_layout_ = layout_;
  auto weighted = std::make_shared<CodeLayout>(*stored_layout_);
  weighted->has_weights = true;
  layout_ = std::move(weighted);
  class_weights_ = std::move(of_class);
}

std::string Dataset::shard_path(std::size_t index) const {
  return in_folder(directory_of(index), manifest_.shards.at(index).file);
}

void Dataset::append(const Dataset& next) {
  if (fingerprint().schema != next.fingerprint().schema) {
    throw ConfigError(fmt::format("{} and {} have different schemas ({}); encode both with the same one",
                                  directory(), next.directory(), describe_difference(schema_, next.schema_)));
  }
  if (!same_layout(*layout_, *next.layout_)) {
    throw ConfigError(
        fmt::format("{} and {} were encoded with different lookup tables, or one by an older version; encode "
                    "both with the same --tables and version",
                    directory(), next.directory()));
  }
  directory_numbers_.resize(num_shards(), 0);
  directory_numbers_.resize(num_shards() + next.num_shards(), directories_.size());
  directories_.push_back(next.directory());
  manifest_.rows += next.manifest_.rows;
  manifest_.rejected_rows += next.manifest_.rejected_rows;
  manifest_.other_fold_rows += next.manifest_.other_fold_rows;
  manifest_.inputs.insert(manifest_.inputs.end(), next.manifest_.inputs.begin(), next.manifest_.inputs.end());
  manifest_.shards.insert(manifest_.shards.end(), next.manifest_.shards.begin(), next.manifest_.shards.end());
}

namespace {

// Returns the same path for every name of a folder.
std::filesystem::path place_of(const std::string& directory) {
  std::error_code problem;
  std::filesystem::path place = std::filesystem::canonical(directory, problem);
  if (problem) throw FileError(directory, "cannot open", problem.value());
  return place;
}

}  // namespace

Dataset join_datasets(const std::vector<std::string>& directories) {
  if (directories.empty()) throw ConfigError("no dataset is given");
  if (std::ranges::find(directories, "") != directories.end())
    throw ConfigError("the name of a dataset is empty (''); give the folder of a dataset");
  Dataset all(directories.front());
  std::set<std::filesystem::path> known{place_of(directories.front())};
  for (std::size_t i = 1; i < directories.size(); ++i) {
    const Dataset next(directories[i]);
    if (!known.insert(place_of(directories[i])).second) {
      throw ConfigError(
          fmt::format("{}: is given twice, so its rows would count twice; leave one out", directories[i]));
    }
    all.append(next);
  }
  return all;
}

}  // namespace widehash
