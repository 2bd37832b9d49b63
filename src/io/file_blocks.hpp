#pragma once

/// \file
/// Shared by the two ways to leave the blocks of a plain file on disk.

#include "block_grid.hpp"
#include "block_sequence.hpp"
#include "range_file.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

namespace widehash::detail {

class FileBlocks : public BlockSequence {
 public:
  /// Positions up to `header_end` belong to no block.
  FileBlocks(std::shared_ptr<const RangeFile> file, BlockGrid grid, std::uint64_t header_end,
             bool blank_lines_are_rows)
      : file_(std::move(file)),
        grid_(grid),
        header_end_(header_end),
        blank_lines_are_rows_(blank_lines_are_rows) {}

  std::uint64_t position() const noexcept final { return begin_of(next_index_); }

 protected:
  /// Returns where block `index` begins to own rows; the file's end if it owns none.
  std::uint64_t begin_of(std::uint64_t index) const noexcept {
    return std::min(grid_.begin(index), file_->size_bytes());
  }
  bool is_past_end() const noexcept {
    return (next_index_ > 0 ? begin_of(next_index_) : header_end_) >= file_->size_bytes();
  }
  /// Makes `block` the next one. It owns the rows that begin in the bytes from `begin` to the beginning of
  /// the next block, but not before `first_row`, where a row begins. Each line end ends a row.
  void give_range(Block& block, std::uint64_t begin, std::uint64_t first_row) {
    block.index = next_index_++;
    block.num_lines = block.num_rows = block.num_bytes = 0;
    block.bytes.clear();
    block.lines_are_rows = true;
    block.range = {.file = file_,
                   .begin = begin,
                   .end = begin_of(next_index_),
                   .first_row = first_row,
                   .blank_lines_are_rows = blank_lines_are_rows_,
                   .cuts = {}};
  }

  std::shared_ptr<const RangeFile> file_;
  BlockGrid grid_;
  std::uint64_t header_end_;
  bool blank_lines_are_rows_;
  std::uint64_t next_index_ = 0;
};

/// Blocks of a file in which every line end ends a row. Cutting them reads nothing.
class RangeBlocks final : public FileBlocks {
 public:
  using FileBlocks::FileBlocks;

  bool next(Block& block) override {
    if (is_past_end()) return false;
    give_range(block, begin_of(next_index_), header_end_);
    return true;
  }
};

}  // namespace widehash::detail
