#pragma once

/// \file
/// Small shards that are flushed together (flush_files): a flush behind each would be most of the time that thousands
/// of small inputs take on a slow disk.

#include "ingest/block_report.hpp"
#include "transform_journal.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace widehash {

class UnflushedShards {
 public:
  /// So many wait at most; a run that is killed does them again.
  static constexpr std::size_t most = 64;

  /// Of the folder and its journal, which must outlive the object.
  UnflushedShards(std::string directory, TransformJournal& journal);

  /// Takes the report of a block whose shard, if it has one, is in place and was not flushed.
  void add(BlockReport report);
  /// Has all of them on disk, and then in the journal. Throws FileError.
  void flush();

 private:
  std::string directory_;
  TransformJournal& journal_;
  std::vector<BlockReport> waiting_;
};

}  // namespace widehash
