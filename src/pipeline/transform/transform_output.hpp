#pragma once

/// \file
/// The output folder of a transform, as rank 0 keeps it: what earlier runs have left there, where this run
/// makes its dataset, and how that gets to its place.
///
///     in the folder              without --overwrite     with --overwrite
///     nothing                    made there              made there
///     the same dataset           found finished          made aside, then put in place
///     another dataset            refused                 made aside, then put in place
///     this run, unfinished       carried on              carried on; begun anew for a stream
///     another, unfinished        refused                 begun anew

#include "transform_identity.hpp"
#include "transform_journal.hpp"

#include <widehash/input.hpp>
#include <widehash/manifest.hpp>
#include <widehash/schema_source.hpp>
#include <widehash/transform.hpp>

#include <optional>
#include <string>
#include <vector>

namespace widehash {

class TransformOutput {
 public:
  /// Does not look at the folder yet. All arguments must outlive the object.
  TransformOutput(const SchemaSource& schema, const TransformOptions& options,
                  const std::vector<Input>& inputs, const TransformIdentity& identity);

  /// Returns the dataset where this run is already finished. Writes nothing and needs no lock, so the folder
  /// may be read-only. Returns nothing where there is work to do, or where only the holder of the lock can
  /// tell. Throws ConfigError where the folder holds another dataset; DataError where shards are missing.
  std::optional<Manifest> find_finished() const;

  /// Requires that the folder is locked. Returns the dataset where this run is already finished. Otherwise
  /// returns nothing; folder() is then ready to be written to, and journal() holds what is finished. Throws
  /// ConfigError where the folder holds somebody's work.
  std::optional<Manifest> open();

  /// Returns the folder where the dataset is made.
  const std::string& folder() const noexcept { return folder_; }
  bool is_aside() const noexcept { return folder_ != directory_; }
  TransformJournal& journal() { return *journal_; }

  /// Writes the manifest, the last file of a dataset, and puts the dataset in its place.
  void finish(const Manifest& manifest);

 private:
  bool belongs_aside() const;
  bool goes_on() const;
  std::optional<Manifest> find_dataset() const;
  void restore_schema(const Manifest& manifest) const;
  std::string difference_from(const Manifest& manifest) const;

  const SchemaSource& schema_;
  const TransformOptions& options_;
  const std::vector<Input>& inputs_;
  const TransformIdentity& identity_;
  const std::string& directory_;
  std::string folder_;
  std::optional<TransformJournal> journal_;
};

}  // namespace widehash
