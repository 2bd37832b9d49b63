#include "unflushed_shards.hpp"

#include <widehash/internal/file.hpp>

#include <utility>

namespace widehash {

UnflushedShards::UnflushedShards(std::string directory, TransformJournal& journal)
    : directory_(std::move(directory)), journal_(journal) {}

void UnflushedShards::add(BlockReport report) {
  waiting_.push_back(std::move(report));
  if (waiting_.size() == most) flush();
}

void UnflushedShards::flush() {
  if (waiting_.empty()) return;
  // Whether or not this succeeds, they are not tried again: what the journal does not name is made anew.
  const std::vector<BlockReport> reports = std::exchange(waiting_, {});
  std::vector<std::string> files;
  for (const BlockReport& report : reports)
    if (report.shard) files.push_back(report.shard->file);
  flush_files(directory_, files);
  for (const BlockReport& report : reports) journal_.append(report);
}

}  // namespace widehash
