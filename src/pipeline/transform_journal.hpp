#pragma once

/// \file
/// `progress.jsonl`: what a transform has finished, a line a block, so that a run that was killed goes on
/// where it stopped. The first line names what the run is; a torn last line is as if it were not there.
/// Removed when the manifest is written.

#include "rejected_rows.hpp"

#include <widehash/input.hpp>
#include <widehash/manifest.hpp>
#include <widehash/shard.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace widehash {

/// One finished block.
struct JournalEntry {
  std::size_t input = 0;
  std::uint64_t block = 0;
  std::uint64_t text_checksum =
      0;  // of the block's bytes: a changed input is noticed when the run is carried on
  std::optional<ManifestShard> shard;  // none where the block had no good row
  std::vector<RejectedRow> rejected;
};

class TransformJournal {
 public:
  /// What must be equal for a run to be carried on.
  struct Identity {
    EncodingFingerprint fingerprint;
    std::uint64_t block_bytes = 0;
    std::vector<Input> inputs;
  };

  /// Opens the journal of `directory`, or begins one. Entries of an earlier run whose shards are whole are in
  /// entries(); the rest is cut off. Throws ConfigError where the journal is of another run.
  TransformJournal(const std::string& directory, const Identity& identity);
  ~TransformJournal();
  TransformJournal(const TransformJournal&) = delete;
  TransformJournal& operator=(const TransformJournal&) = delete;

  const std::vector<JournalEntry>& entries() const noexcept { return entries_; }
  /// Appends an entry; its shard must be in place.
  void append(const JournalEntry& entry);
  /// To be called when the manifest stands.
  void remove();

  static std::string path_in(const std::string& directory);

 private:
  void read_entries(const std::string& text, const std::string& directory);

  std::string path_;
  std::vector<JournalEntry> entries_;
  int descriptor_ = -1;
};

}  // namespace widehash
