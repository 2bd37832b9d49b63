#include "stream_blocks.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

/// Bytes read past a block's end to find where its last row ends.
constexpr std::uint64_t lookahead_bytes = std::uint64_t{16} << 10;
constexpr std::uint64_t max_reserved_bytes = std::uint64_t{64} << 20;
// Every name takes memory several times over, which a row of as many fields does not.
constexpr std::size_t most_fields = std::size_t{1} << 20;

void require_few(std::size_t num_fields, const std::string& name, std::uint64_t line) {
  if (num_fields <= most_fields) return;
  throw DataError(name, line,
                  fmt::format("the header has {} fields, more than {}; is it a header, and is the delimiter "
                              "the schema's?",
                              num_fields, most_fields));
}

}  // namespace

StreamBlocks::StreamBlocks(std::unique_ptr<ByteSource> source, const RowCutter::Settings& settings)
    : source_(std::move(source)),
      cutter_(make_row_cutter(settings)),
      grid_{settings.block_bytes},
      lines_are_rows_(settings.dialect.quote == '\0') {
  read_start();
  if (settings.has_header) take_header(settings);
}

void StreamBlocks::read_start() {
  std::string start(lookahead_bytes, '\0');
  start.resize(source_->read(start));
  at_end_ = start.size() < lookahead_bytes;
  if (start.starts_with(byte_order_mark)) start.erase(0, byte_order_mark.size());
  kept_ = std::move(start);
  cutter_->add(kept_);
  if (at_end_) cutter_->finish();
}

void StreamBlocks::take_header(const RowCutter::Settings& settings) {
  while (!cutter_->header_found() && !at_end_) {
    if (kept_.size() > max_row_bytes) {
      throw DataError(
          settings.name, 0,
          fmt::format("begins with more than {} MiB of blank lines; leave them out", max_row_bytes >> 20));
    }
    fill(kept_, lookahead_bytes);
  }
  if (!cutter_->header_found()) {
    throw DataError(settings.name, 0,
                    fmt::format("{} and has no header line; leave it out{}",
                                kept_.empty() ? "is empty" : "has only blank lines",
                                kept_.empty() ? ", or give --allow-empty if that means no rows" : ""));
  }
  const RowCut begin = cutter_->header_begin();
  header_end_ = kept_from_ = cutter_->header_end();
  const auto header = std::string_view(kept_).substr(begin.position, header_end_.position - begin.position);
  // Before they are cut, unless some of the delimiters may be quoted.
  if (lines_are_rows_) {
    const auto delimiters = std::count(header.begin(), header.end(), settings.dialect.delimiter);
    require_few(static_cast<std::size_t>(delimiters) + 1, settings.name, begin.lines + 1);
  }
  const char* fault = nullptr;
  header_fields_ = parse_fields(settings.dialect, header, &fault);
  require_few(header_fields_.size(), settings.name, begin.lines + 1);
  if (fault != nullptr) {
    throw DataError(settings.name, begin.lines + 1,
                    fmt::format("the header has {}; fix it, or set another quote in the schema", fault));
  }
  kept_.erase(0, header_end_.position);
  if (kept_.empty() && !at_end_) fill(kept_, lookahead_bytes);
  is_header_alone_ = kept_.empty();
}

void StreamBlocks::fill(std::string& bytes, std::uint64_t count) {
  const std::size_t before = bytes.size();
  const auto asked =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(count, lookahead_bytes, RowCutter::max_chunk_bytes));
  bytes.resize(before + asked);
  const std::size_t received = source_->read(std::span(bytes).subspan(before));
  bytes.resize(before + received);
  cutter_->add(std::string_view(bytes).substr(before));
  if (received < asked) {
    at_end_ = true;
    cutter_->finish();
  }
}

RowCut StreamBlocks::fill_to_cut(std::string& bytes, std::uint64_t target) {
  if (kept_from_.position >= target) return kept_from_;  // inside a long row
  const RowCut* found = cutter_->first_cut_from(target);
  while (found == nullptr && !at_end_) {
    const std::uint64_t have = kept_from_.position + bytes.size();
    fill(bytes, target > have ? target - have : 0);
    found = cutter_->first_cut_from(target);
  }
  return found != nullptr ? *found : cutter_->end();
}

bool StreamBlocks::next(Block& block) {
  if (kept_.empty() && !at_end_) fill(kept_, lookahead_bytes);
  const bool is_done = kept_.empty() && kept_from_.position <= grid_.begin(next_index_);
  if (is_done || is_header_alone_) return false;

  block.bytes.clear();
  block.bytes.reserve(std::min(grid_.block_bytes, max_reserved_bytes) + lookahead_bytes);
  block.bytes.append(kept_);
  const RowCut end = fill_to_cut(block.bytes, grid_.begin(next_index_ + 1));
  const std::size_t num_bytes = end.position - kept_from_.position;
  kept_.assign(block.bytes, num_bytes);
  block.bytes.resize(num_bytes);
  block.index = next_index_++;
  block.num_lines = end.lines - kept_from_.lines;
  block.num_rows = end.rows - kept_from_.rows;
  block.num_bytes = num_bytes;
  block.lines_are_rows = lines_are_rows_;
  block.range = {};
  kept_from_ = end;
  return true;
}

}  // namespace widehash::detail
