#pragma once

/// \file
/// Blocks of a plain file whose values may stand in quotes. They are left on disk: the file is read in order
/// to find where its rows are, and none of it is kept. A block without a quote is only searched for one; for
/// any other block, BlockRange::cuts says where rows end.

#include "file_blocks.hpp"
#include "row_cutter.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace widehash::detail {

class QuotedFileBlocks final : public FileBlocks {
 public:
  QuotedFileBlocks(std::shared_ptr<const RangeFile> file, std::uint64_t header_end,
                   RowCutter::Settings settings);

  bool next(Block& block) override;

 private:
  /// Makes `block` the next one if no quote stands in it; returns false otherwise.
  bool next_bare(Block& block);
  void next_cut(Block& block);
  /// Starts a cutter at rows_from_.
  void cut_from_here();
  /// Reads the next piece for the cutter.
  void read_piece();

  RowCutter::Settings settings_;
  // Null if a bare block was passed since: a cutter must have seen everything from where it began to
  // rows_from_.
  std::unique_ptr<RowCutter> cutter_;
  bool cutter_at_end_ = false;
  RowCut rows_from_;  // where the rows of the next block begin; its counts are the cutter's
  std::vector<char> piece_;
};

}  // namespace widehash::detail
