#include "quoted_file_blocks.hpp"

#include "bare_rows.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace widehash::detail {

QuotedFileBlocks::QuotedFileBlocks(std::shared_ptr<const RangeFile> file, std::uint64_t header_end,
                                   RowCutter::Settings settings)
    : FileBlocks(std::move(file), {settings.block_bytes}, header_end, settings.blank_lines_are_rows),
      settings_(std::move(settings)),
      rows_from_{.position = header_end} {
  settings_.has_header = false;
  settings_.piece_bytes = piece_bytes;
}

bool QuotedFileBlocks::next(Block& block) {
  if (is_past_end()) return false;
  const bool is_inside_a_row = rows_from_.position >= begin_of(next_index_ + 1);
  if (is_inside_a_row) {
    give_range(block, rows_from_.position, rows_from_.position);
  } else if (!next_bare(block)) {
    next_cut(block);
  }
  return true;
}

bool QuotedFileBlocks::next_bare(Block& block) {
  const std::uint64_t begin = rows_from_.position;
  const std::uint64_t target = begin_of(next_index_ + 1);
  const auto end = find_end_of_bare_rows(*file_, settings_.dialect.quote, begin, target, piece_);
  if (!end) return false;
  give_range(block, begin, begin);
  rows_from_ = {.position = *end};
  cutter_ = nullptr;
  return true;
}

void QuotedFileBlocks::next_cut(Block& block) {
  if (cutter_ == nullptr) cut_from_here();
  const std::uint64_t target = grid_.begin(next_index_ + 1);
  RowCut end = rows_from_;
  std::vector<std::uint64_t> cuts(1, end.position);
  while (end.position < target) {
    const std::optional<RowCut> cut = cutter_->take_cut();
    if (!cut && !cutter_at_end_) {
      read_piece();
      continue;
    }
    const RowCut next = cut ? *cut : cutter_->end();
    if (next.position > end.position) cuts.push_back(next.position);
    end = next;
    if (!cut) break;
  }
  block.index = next_index_++;
  block.num_lines = end.lines - rows_from_.lines;
  block.num_rows = end.rows - rows_from_.rows;
  block.num_bytes = end.position - rows_from_.position;
  block.bytes.clear();
  block.lines_are_rows = false;
  block.range = {.file = file_, .cuts = std::move(cuts)};
  rows_from_ = end;
}

void QuotedFileBlocks::cut_from_here() {
  const std::uint64_t begin = rows_from_.position;
  RowCutter::Settings settings = settings_;
  settings.begin = begin;
  settings.lines_before = [from = file_, begin] { return from->lines_before(begin); };
  cutter_ = make_row_cutter(std::move(settings));
  cutter_at_end_ = false;
  rows_from_ = {.position = begin};
}

void QuotedFileBlocks::read_piece() {
  static_assert(piece_bytes <= RowCutter::max_chunk_bytes);
  const std::uint64_t begin = cutter_->end().position;
  const auto bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, file_->size_bytes() - begin));
  piece_.resize(std::max(piece_.size(), bytes));
  file_->read(begin, std::span(piece_).first(bytes));
  cutter_->add({piece_.data(), bytes});
  cutter_at_end_ = begin + bytes == file_->size_bytes();
  if (cutter_at_end_) cutter_->finish();
}

}  // namespace widehash::detail
