#pragma once

/// \file
/// `progress.jsonl`: what a transform has finished, a line a block, so that a run that was killed goes on
/// where it stopped. The first line names what the run is; the others carry a checksum each, and from the
/// first that is torn or damaged on they are as if they were not there.
/// Removed when the manifest is written.

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

/// What becomes of an unfinished run when some of its inputs have changed since, and nothing else has: a row
/// was mended.
enum class ChangedInputs {
  are_done_again,  // what is finished of the others stands
  are_refused      // where an input can be read only once, nobody can tell whether it is another one too
};

class TransformJournal {
 public:
  /// Opens the journal of `directory`, or begins one. Entries of an earlier run whose shards are whole are in
  /// entries(); the rest is cut off, and so are those of inputs that have changed, where these may be done
  /// again. The journal of another run is replaced where that had finished no shard, since nothing is lost;
  /// otherwise throws ConfigError, saying what differs.
  TransformJournal(const std::string& directory, const TransformIdentity& identity,
                   ChangedInputs changed = ChangedInputs::are_done_again);
  ~TransformJournal();
  TransformJournal(const TransformJournal&) = delete;
  TransformJournal& operator=(const TransformJournal&) = delete;

  /// In the order in which the blocks were finished, which is not that of the inputs where several ranks
  /// shared them. Without the rows that were rejected, which may be millions: see rejected_rows().
  const std::vector<BlockReport>& entries() const noexcept { return entries_; }
  /// Of the entry of that block, read from the file.
  std::vector<RejectedRow> rejected_rows(std::size_t input, std::uint64_t block) const;
  /// Appends a finished block; its shard must be in place.
  void append(const BlockReport& entry);
  /// To be called when the manifest stands.
  void remove();

  static std::string path_in(const std::string& directory);
  /// How the shards of an unfinished run in `directory` have their codes, which those to come must have too:
  /// the run may have been begun by an earlier version. Where there is none, as new ones do.
  static CodeBytes code_bytes_in(const std::string& directory);
  /// Whether there is a run in `directory` to carry on, and it is this one, or was before some of its inputs
  /// changed.
  static bool can_carry_on(const TransformIdentity& identity, const std::string& directory);

 private:
  /// The text of an entry, in the file.
  struct Place {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  std::string path_;
  std::vector<BlockReport> entries_;
  std::map<std::pair<std::size_t, std::uint64_t>, Place> rejects_at_;  // of those with rejected rows
  std::optional<MappedFile> earlier_;                                  // holds them
  int descriptor_ = -1;
};

}  // namespace widehash
