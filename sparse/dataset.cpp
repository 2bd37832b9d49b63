#include <widehash/checksum.hpp>
#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <cerrno>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

constexpr const char* first_shard = "part-00000-000000.shard";

Manifest open_manifest(const std::string& directory) {
  const std::string path = directory + "/manifest.json";
  std::error_code ignored;
  if (!file_exists(directory)) throw FileError(directory, "cannot open", ENOENT);
  if (!std::filesystem::is_directory(directory, ignored)) {
    throw ConfigError(directory + ": is a file; give the folder that `widehash transform` wrote");
  }
  // The journal is there from the first row to the last; the manifest comes after it, and ends it.
  if (!file_exists(path) && file_exists(directory + "/progress.jsonl")) {
    throw DataError(
        path, 0,
        "is not there, since the transform into this folder did not finish; start it again with the "
        "same command and it goes on where it stopped");
  }
  if (!file_exists(path) && file_exists(directory + "/" + first_shard)) {
    throw DataError(
        path, 0,
        "is not there, since what wrote the shards of this folder did not finish; write the dataset "
        "again");
  }
  if (!file_exists(path)) {
    throw DataError(
        path, 0,
        "is not there, and without it the folder is no dataset; give one that `widehash transform` "
        "wrote, or restore the file from a copy");
  }
  return load_manifest(directory);
}

Schema open_schema(const std::string& directory, const Manifest& manifest) {
  const std::string path = directory + "/schema.toml";
  const std::string toml = read_text_file(path);
  if (manifest.schema_checksum != 0 && checksum(std::as_bytes(std::span(toml))) != manifest.schema_checksum) {
    throw DataError(
        path, 0,
        "not the text this dataset was written with (checksum differs); restore it from a copy: a "
        "dataset's schema is frozen");
  }
  return parse_schema(toml, path);
}

}  // namespace

Dataset::Dataset(std::string directory)
    : directory_(std::move(directory)),
      manifest_(open_manifest(directory_)),
      schema_(open_schema(directory_, manifest_)) {
  const std::string found = schema_.fingerprint();
  if (found != manifest_.schema_fingerprint) {
    throw DataError(
        directory_ + "/schema.toml", 0,
        fmt::format("not the schema this dataset was made with (fingerprint {}, and the manifest names {}); "
                    "restore it from a copy: a dataset's schema is frozen",
                    found, manifest_.schema_fingerprint));
  }
  try {
    layout_ = std::make_shared<const CodeLayout>(
        make_layout(schema_, manifest_.head_columns, manifest_.code_bytes, manifest_.tables_fingerprint));
  } catch (const ShapeError& problem) {
    throw DataError(directory_ + "/manifest.json", 0, problem.what());
  } catch (const ConfigError& problem) {
    throw DataError(directory_ + "/manifest.json", 0, problem.what());
  }
  if (layout_->num_columns != manifest_.num_columns) {
    throw DataError(directory_ + "/manifest.json", 0,
                    fmt::format("it says {} columns, and its schema makes {}; run the transform again",
                                manifest_.num_columns, layout_->num_columns));
  }
}

Shard Dataset::open_shard(std::size_t index, bool verify) const {
  return Shard(directory_, manifest_.shards.at(index), layout_, verify);
}

}  // namespace widehash
