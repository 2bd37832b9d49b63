#pragma once

/// \file
/// A dataset: a folder with `manifest.json`, `schema.toml`, `part-*.shard` and, if `fit` wrote lookup tables,
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
  /// Opens the manifest and the schema and checks that they belong together. Throws FileError, ConfigError,
  /// and DataError (with a hint if the folder is that of an unfinished transform).
  explicit Dataset(std::string directory);

  /// The folder, or the first folder of joined datasets.
  const std::string& directory() const noexcept { return directories_.front(); }
  /// All folders of joined datasets, in order.
  const std::vector<std::string>& directories() const noexcept { return directories_; }
  /// The name used in messages: directory(), and the number of other folders if there are any.
  std::string name() const;
  const Schema& schema() const noexcept { return schema_; }
  /// For joined datasets, a manifest with the inputs and shards of all of them, in order.
  const Manifest& manifest() const noexcept { return manifest_; }
  const std::shared_ptr<const CodeLayout>& layout() const noexcept { return layout_; }
  /// Identifies the encoding of the rows.
  const EncodingFingerprint& fingerprint() const noexcept { return layout_->fingerprint; }
  std::uint64_t num_rows() const noexcept { return manifest_.rows; }
  std::size_t num_shards() const noexcept { return manifest_.shards.size(); }

  /// From now on, rows of shards that are opened have the weights that class_weights.hpp defines, and
  /// layout() has weights. `of_class` has one weight per class of the label, and two for a label without
  /// classes. Throws ConfigError if the number of weights differs or the rows have no label, and like
  /// check_class_weights(). Cost: nothing here; each open_shard() makes a pass over the targets and takes 4
  /// bytes per row.
  void weigh_classes(std::vector<double> of_class);
  /// Empty if rows have only their own weights.
  const std::vector<double>& class_weights() const noexcept { return class_weights_; }

  /// Opens shard `index` < num_shards(). `verify` and errors are those of Shard().
  Shard open_shard(std::size_t index, bool verify) const;
  /// The same, with the weights of the file, ignoring class weights.
  Shard open_stored_shard(std::size_t index, bool verify) const;
  std::string shard_path(std::size_t index) const;

 private:
  friend Dataset join_datasets(const std::vector<std::string>& directories);
  void append(const Dataset& next);
  const std::string& directory_of(std::size_t shard) const;

  std::vector<std::string> directories_;
  std::vector<std::size_t> directory_numbers_;  // per shard, if there are several folders
  Manifest manifest_;
  Schema schema_;
  std::shared_ptr<const CodeLayout> layout_;
  std::vector<double> class_weights_;
  std::shared_ptr<const CodeLayout> stored_layout_;  // layout of the files, if there are class weights
};

/// Joins datasets of one encoding: the rows of the first dataset, then those of the next, and so on. A single
/// dataset is returned as it is. In addition to Dataset's errors, throws ConfigError if there are no names or
/// an empty one, if a folder is named twice, or if the datasets do not match because their schemas differ
/// (the message states how) or they were encoded with different tables.
Dataset join_datasets(const std::vector<std::string>& directories);

struct VerifyReport {
  std::uint64_t shards = 0;
  std::uint64_t rows = 0;
  std::uint64_t rejected_rows = 0;
  std::uint64_t other_fold_rows = 0;  // skipped when the dataset was written
  std::uint64_t bytes = 0;
};

/// Re-reads every checksum and count of a dataset, and looks for shards that no manifest lists. Runs in
/// parallel over shards and continues after a damaged one. Throws DataError naming the file that is wrong, or
/// DamagedFiles if there are several: shards in manifest order, then other files of the folder. Throws
/// FileError if a file cannot be read.
VerifyReport verify_dataset(const std::string& directory, const ProgressCallback& progress = {});

}  // namespace widehash
