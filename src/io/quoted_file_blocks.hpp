#pragma once

/// \file
/// Blocks of a plain file whose values may stand in quotes, left on disk: it is read in order to find out
/// where its rows are, and nothing of it is kept. A block without a quote is only looked through for one; of
/// any other, whoever works on it is told where rows end (BlockRange::cuts).

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
  /// Gives the next block where no quote stands in it.
  bool next_bare(Block& block);
  void next_cut(Block& block);
  /// Starts a cutter at rows_from_.
  void cut_from_here();
  /// Reads on for the cutter.
  void read_piece();

  RowCutter::Settings settings_;
  // None where a bare block was passed since: it must have seen all from where it began to rows_from_.
  std::unique_ptr<RowCutter> cutter_;
  bool cutter_at_end_ = false;
  RowCut rows_from_;  // where the rows of the next block begin; its counts are the cutter's
  std::vector<char> piece_;
};

}  // namespace widehash::detail
