#pragma once

/// \file
/// Small shards that are flushed together (flush_files). Flushing each one by itself would take most of the
/// time that thousands of small inputs need on a slow disk.

#include "ingest/block_report.hpp"
#include "transform_journal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace widehash {

class UnflushedShards {
 public:
  /// At most this many shards wait; a run that is killed makes them again.
  static constexpr std::size_t most = 64;

  /// `directory` is the folder of the dataset, and `journal` its journal, which must outlive the object.
  UnflushedShards(std::string directory, TransformJournal& journal);

  /// Takes the report of a block whose shard, if it has one, is in place and was not flushed.
  void add(BlockReport report);
  /// Flushes all of them to disk, then enters them in the journal. Throws FileError.
  void flush();

 private:
  std::string directory_;
  TransformJournal& journal_;
  std::vector<BlockReport> waiting_;
};

}  // namespace widehash
