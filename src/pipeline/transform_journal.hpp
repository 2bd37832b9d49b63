#pragma once

/// \file
/// `progress.jsonl`: what a transform has finished, a line a block, so that a run that was killed goes on
/// where it stopped. The first line names what the run is; the others carry a checksum each, and from the first that is
/// torn or damaged on they are as if they were not there.
/// Removed when the manifest is written.

#include "block_report.hpp"

#include <widehash/input.hpp>
#include <widehash/shard.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace widehash {

class TransformJournal {
 public:
  /// What must be equal for a run to be carried on.
  struct Identity {
    EncodingFingerprint fingerprint;
    std::uint64_t block_bytes = 0;
    std::vector<Input> inputs;
    std::vector<std::uint64_t> samples;  // sample_checksum() of each
    CodeBytes code_bytes = CodeBytes::least;
  };

  /// Opens the journal of `directory`, or begins one. Entries of an earlier run whose shards are whole are in
  /// entries(); the rest is cut off. Throws ConfigError where the journal is of another run.
  TransformJournal(const std::string& directory, const Identity& identity);
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
  /// The first line of the journal. Its version, and a key beside it, tell the size of codes.
  static std::string identity_line(const Identity& identity);

 private:
  void read_entries(const std::string& text, const std::string& directory);

  std::string path_;
  std::vector<BlockReport> entries_;
  int descriptor_ = -1;
};

}  // namespace widehash
