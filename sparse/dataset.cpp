#include <widehash/dataset.hpp>
#include <widehash/error.hpp>
#include <widehash/file.hpp>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

Manifest open_manifest(const std::string& directory) {
  const std::string path = directory + "/manifest.json";
  // The journal is there from the first row to the last; the manifest comes after it, and ends it.
  if (!file_exists(path) && file_exists(directory + "/progress.jsonl")) {
    throw FileError(
        path,
        "the transform into this folder did not finish; start it again with the same command and it goes on "
        "where it stopped",
        ENOENT);
  }
  return load_manifest(directory);
}

}  // namespace

Dataset::Dataset(std::string directory)
    : directory_(std::move(directory)),
      manifest_(open_manifest(directory_)),
      schema_(load_schema(directory_ + "/schema.toml")),
      fingerprint_{manifest_.schema_fingerprint, manifest_.tables_fingerprint} {
  const std::string found = schema_.fingerprint();
  if (found != manifest_.schema_fingerprint) {
    throw DataError(
        directory_ + "/schema.toml", 0,
        fmt::format("not the schema this dataset was made with (fingerprint {}, and the manifest names {}); "
                    "restore it from a copy: a dataset's schema is frozen",
                    found, manifest_.schema_fingerprint));
  }
  try {
    layout_ = std::make_shared<const CodeLayout>(make_layout(schema_, manifest_.head_columns));
  } catch (const ShapeError& problem) {
    throw DataError(directory_ + "/manifest.json", 0, problem.what());
  }
  if (layout_->num_columns != manifest_.num_columns) {
    throw DataError(directory_ + "/manifest.json", 0,
                    fmt::format("it says {} columns, and its schema makes {}; run the transform again",
                                manifest_.num_columns, layout_->num_columns));
  }
}

Shard Dataset::open_shard(std::size_t index, bool verify) const {
  return Shard(directory_, manifest_.shards.at(index), fingerprint_, layout_, verify);
}

}  // namespace widehash
