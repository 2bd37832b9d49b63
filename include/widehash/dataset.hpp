#pragma once

/// \file
/// A dataset: a folder with `manifest.json`, `schema.toml`, `part-*.shard` and, where `fit` wrote them,
/// `tables/`.

#include <widehash/error.hpp>
#include <widehash/manifest.hpp>
#include <widehash/progress.hpp>
#include <widehash/schema.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash {

class Dataset {
 public:
  /// Opens manifest and schema and checks that they belong together. Throws FileError (with a hint where the
  /// folder is a transform that did not finish), DataError, ConfigError.
  explicit Dataset(std::string directory);

  const std::string& directory() const noexcept { return directory_; }
  const Schema& schema() const noexcept { return schema_; }
  const Manifest& manifest() const noexcept { return manifest_; }
  const std::shared_ptr<const CodeLayout>& layout() const noexcept { return layout_; }
  /// Of the encoding that made its rows.
  const EncodingFingerprint& fingerprint() const noexcept { return layout_->fingerprint; }
  std::uint64_t num_rows() const noexcept { return manifest_.rows; }
  std::size_t num_shards() const noexcept { return manifest_.shards.size(); }

  /// Shard `index` < num_shards(); `verify` and errors as those of Shard().
  Shard open_shard(std::size_t index, bool verify) const;

 private:
  std::string directory_;
  Manifest manifest_;
  Schema schema_;
  std::shared_ptr<const CodeLayout> layout_;
};

struct VerifyReport {
  std::uint64_t shards = 0;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t bytes = 0;
};

/// Re-reads every checksum and count of a dataset, and looks for shards that no manifest names. Parallel over
/// shards; goes on behind a damaged one. Throws DataError naming the first file that is wrong, DamagedFiles
/// where there are several: shards in the order of the manifest, then what else is in the folder; FileError
/// where one cannot be read.
VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress = {});

}  // namespace widehash
