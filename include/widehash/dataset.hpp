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

  /// Of the first one, where several were joined.
  const std::string& directory() const noexcept { return directories_.front(); }
  /// Of all that were joined, in order.
  const std::vector<std::string>& directories() const noexcept { return directories_; }
  /// What messages call it: directory(), and how many others there are.
  std::string name() const;
  const Schema& schema() const noexcept { return schema_; }
  /// Of joined datasets one with the inputs and the shards of all, in order.
  const Manifest& manifest() const noexcept { return manifest_; }
  const std::shared_ptr<const CodeLayout>& layout() const noexcept { return layout_; }
  /// Of the encoding that made its rows.
  const EncodingFingerprint& fingerprint() const noexcept { return layout_->fingerprint; }
  std::uint64_t num_rows() const noexcept { return manifest_.rows; }
  std::size_t num_shards() const noexcept { return manifest_.shards.size(); }

  /// From here on the rows of shards that are opened weigh what class_weights.hpp says, and layout() has weights.
  /// `of_class` has a weight for each class of the label, two where it has none. Throws ConfigError where it has
  /// another number of them, or the rows have no label. Cost: nothing here; at each open_shard() a pass over the
  /// targets, and 4 bytes a row.
  void weigh_classes(std::vector<double> of_class);
  /// Empty: rows have their own weights.
  const std::vector<double>& class_weights() const noexcept { return class_weights_; }

  /// Shard `index` < num_shards(); `verify` and errors as those of Shard().
  Shard open_shard(std::size_t index, bool verify) const;
  /// The same with the weights of its file, whatever the classes weigh.
  Shard open_stored_shard(std::size_t index, bool verify) const;
  std::string shard_path(std::size_t index) const;

 private:
  friend Dataset join_datasets(const std::vector<std::string>& directories);
  void append(const Dataset& next);
  const std::string& directory_of(std::size_t shard) const;

  std::vector<std::string> directories_;
  std::vector<std::size_t> directory_numbers_;  // by shard, where there are several
  Manifest manifest_;
  Schema schema_;
  std::shared_ptr<const CodeLayout> layout_;
  std::vector<double> class_weights_;
  std::shared_ptr<const CodeLayout> stored_layout_;  // of the files, where there are class weights
};

/// Several datasets of one encoding as one: the rows of the first, then those of the next. One name is a dataset
/// as it is. Throws also ConfigError for no name, a folder that is named twice, and datasets that do not go
/// together: of another schema, which says what differs, or encoded with other tables.
Dataset join_datasets(const std::vector<std::string>& directories);

struct VerifyReport {
  std::uint64_t shards = 0;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // passed over when it was written
  std::uint64_t bytes = 0;
};

/// Re-reads every checksum and count of a dataset, and looks for shards that no manifest names. Parallel over
/// shards; goes on behind a damaged one. Throws DataError naming the first file that is wrong, DamagedFiles
/// where there are several: shards in the order of the manifest, then what else is in the folder; FileError
/// where one cannot be read.
VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress = {});

}  // namespace widehash
