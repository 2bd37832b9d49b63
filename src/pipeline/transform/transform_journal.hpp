#pragma once

/// \file
/// `progress.jsonl`: what a transform has finished, one line per block, so that a run that was killed continues
/// where it stopped. The first line identifies the run. The others carry a checksum each; the first line that
/// is torn or damaged and all lines after it are ignored. The journal is removed when the manifest is written.

#include "ingest/block_report.hpp"
#include "transform_identity.hpp"

#include <widehash/internal/file.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {

/// What happens to an unfinished run when some of its inputs have changed since, such as by fixing a row, and
/// nothing else has.
enum class ChangedInputs {
  are_done_again,  // the work finished on the other inputs is kept
  are_refused      // where an input can be read only once, nobody can tell whether it has changed too
};

class TransformJournal {
 public:
  /// Opens the journal of `directory`, or begins one. Entries of an earlier run whose shards are whole are in
  /// entries(). The rest is cut off, and so are the entries of changed inputs, where these may be done again.
  /// The journal of another run is replaced where that run had finished no shard, since nothing is lost;
  /// otherwise throws ConfigError, saying what differs.
  TransformJournal(const std::string& directory, const TransformIdentity& identity,
                   ChangedInputs changed = ChangedInputs::are_done_again);
  ~TransformJournal();
  TransformJournal(const TransformJournal&) = delete;
  TransformJournal& operator=(const TransformJournal&) = delete;

  /// The entries in the order in which their blocks were finished, which is not the order of the inputs where
  /// several ranks shared them. Without the rejected rows, which may be millions: see rejected_rows().
  const std::vector<BlockReport>& entries() const noexcept { return entries_; }
  /// Returns the rejected rows of the entry of that block, read from the file.
  std::vector<RejectedRow> rejected_rows(std::size_t input, std::uint64_t block) const;
  /// Appends a finished block; its shard must be in place.
  void append(const BlockReport& entry);
  /// Removes the journal. To be called once the manifest is written.
  void remove();

  static std::string path_in(const std::string& directory);
  /// Returns how the shards of an unfinished run in `directory` store their codes. Further shards must do the
  /// same: an earlier version may have begun the run. Where there is no run, returns how new runs store them.
  static CodeBytes code_bytes_in(const std::string& directory);
  /// Returns whether there is a run in `directory` to carry on that is this one, or was this one before some
  /// of its inputs changed.
  static bool can_carry_on(const TransformIdentity& identity, const std::string& directory);

 private:
  /// Where the text of an entry lies in the file.
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string path_;
  std::vector<BlockReport> entries_;
  std::map<std::pair<std::size_t, std::uint64_t>, Place> rejects_at_;  // of the entries with rejected rows
  std::optional<MappedFile> earlier_;                                  // the file that holds them
  int descriptor_ = -1;
};

}  // namespace widehash
