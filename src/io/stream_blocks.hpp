#pragma once

/// \file
/// Blocks of an input that can be read only once, from its beginning to its end. Their rows are delivered in
/// memory. Also finds the header for every other kind of blocks.

#include "block_grid.hpp"
#include "block_sequence.hpp"
#include "row_cutter.hpp"

#include <widehash/internal/byte_source.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace widehash::detail {

class StreamBlocks final : public BlockSequence {
 public:
  /// Reads up to the header's end. Throws as BlockReader's constructor does.
  StreamBlocks(std::unique_ptr<ByteSource> source, const RowCutter::Settings& settings);

  const std::vector<std::string>& header_fields() const noexcept { return header_fields_; }
  /// The header's end; the beginning of the input if it has no header.
  const RowCut& header_end() const noexcept { return header_end_; }
  Compression compression() const noexcept { return source_->compression(); }

  bool next(Block& block) override;
  std::uint64_t position() const noexcept override { return source_->position(); }

 private:
  /// Reads the first bytes and drops a byte order mark.
  void read_start();
  void take_header(const RowCutter::Settings& settings);
  /// Appends up to `count` bytes of the source to `bytes`.
  void fill(std::string& bytes, std::uint64_t count);
  /// Reads on into `bytes`, which begin at kept_from_, and returns the first place between rows at or past
  /// `target`.
  RowCut fill_to_cut(std::string& bytes, std::uint64_t target);

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<RowCutter> cutter_;
  BlockGrid grid_;
  bool lines_are_rows_;
  std::vector<std::string> header_fields_;
  RowCut header_end_;
  bool is_header_alone_ = false;
  std::uint64_t next_index_ = 0;
  std::string kept_;  // read, and not yet part of a block
  RowCut kept_from_;  // where `kept_` begins; always between two rows
  bool at_end_ = false;
};

}  // namespace widehash::detail
