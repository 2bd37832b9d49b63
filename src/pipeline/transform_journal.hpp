#pragma once

/// \file
/// `progress.jsonl`: what a transform has finished, a line a block, so that a run that was killed goes on
/// where it stopped. The first line names what the run is; the others carry a checksum each, and from the first that is
/// torn or damaged on they are as if they were not there.
/// Removed when the manifest is written.

#include "block_report.hpp"
#include "transform_identity.hpp"

#include <widehash/shard.hpp>

#include <string>
#include <vector>

namespace widehash {

class TransformJournal {
 public:
  /// Opens the journal of `directory`, or begins one. Entries of an earlier run whose shards are whole are in
  /// entries(); the rest is cut off. The journal of another run is replaced where that had finished no shard, since nothing
  /// is lost; otherwise throws ConfigError, saying what differs.
  TransformJournal(const std::string& directory, const TransformIdentity& identity);
  ~TransformJournal();
  TransformJournal(const TransformJournal&) = delete;
  TransformJournal& operator=(const TransformJournal&) = delete;

  /// In the order in which the blocks were finished, which is not that of the inputs where several ranks shared them.
  const std::vector<BlockReport>& entries() const noexcept { return entries_; }
  /// Appends a finished block; its shard must be in place.
  void append(const BlockReport& entry);
  /// To be called when the manifest stands.
  void remove();

  static std::string path_in(const std::string& directory);
  /// How the shards of an unfinished run in `directory` have their codes, which those to come must have too: the run may
  /// have been begun by an earlier version. Where there is none, as new ones do.
  static CodeBytes code_bytes_in(const std::string& directory);
  /// Whether there is a run in `directory` to carry on, and it is this one.
  static bool is_of(const TransformIdentity& identity, const std::string& directory);

 private:
  /// Of the entries of another run; throws where there is something to lose.
  void give_up(const std::string& first_line, const TransformIdentity& identity,
               const std::string& directory);
  void read_entries(const std::string& text, const std::string& directory);

  std::string path_;
  std::vector<BlockReport> entries_;
  int descriptor_ = -1;
};

}  // namespace widehash
