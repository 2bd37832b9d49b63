#include "line_count.hpp"
#include "range_file.hpp"
#include "raw_file.hpp"

#include <widehash/dialect.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/block_text.hpp>
#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace widehash {
namespace {

// The line counter looks back at two bytes.
constexpr std::size_t headroom = 2;

}  // namespace

BlockText::BlockText(Block& block, std::string& buffer, std::size_t piece_bytes)
    : block_(block), buffer_(buffer), piece_bytes_(piece_bytes) {}

std::string_view BlockText::next() {
  if (block_.range.file == nullptr) return next_in_memory();
  if (!block_.range.cuts.empty()) return next_cut();
  return done_ ? std::string_view() : next_on_disk();
}

void BlockText::require_rows(std::uint64_t num_rows) const {
  if (!block_.range.cuts.empty() && num_rows != block_.num_rows) {
    detail::throw_has_changed(block_.range.file->path());
  }
}

/// Pieces end at line ends, where line ends end rows.
std::string_view BlockText::next_in_memory() {
  const std::string_view rest = std::string_view(block_.bytes).substr(begin_);
  std::size_t bytes = rest.size();
  if (block_.lines_are_rows && bytes > piece_bytes_) {
    const std::size_t line_end = rest.find('\n', piece_bytes_);
    if (line_end != std::string_view::npos) bytes = line_end + 1;
  }
  begin_ += bytes;
  return rest.substr(0, bytes);
}

std::string_view BlockText::next_cut() {
  const BlockRange& range = block_.range;
  if (next_piece_ + 1 >= range.cuts.size()) return {};
  const std::uint64_t begin = range.cuts[next_piece_];
  std::uint64_t end = range.cuts[++next_piece_];
  // Each piece between two cuts is longer than piece_bytes_ by the rest of a row.
  const std::uint64_t most_bytes = piece_bytes_ + piece_bytes_ / 8;
  while (next_piece_ + 1 < range.cuts.size() && range.cuts[next_piece_ + 1] - begin <= most_bytes) {
    end = range.cuts[++next_piece_];
  }
  const auto bytes = static_cast<std::size_t>(end - begin);
  if (buffer_.size() < bytes) buffer_.resize(bytes);
  range.file->read(begin, std::span(buffer_).first(bytes));
  if (buffer_[bytes - 1] != '\n') {
    // Only the file's last row may have no line end, and only if nobody is still writing it.
    if (end < range.file->size_bytes()) detail::throw_has_changed(range.file->path());
    range.file->require_end();
  }
  return std::string_view(buffer_).substr(0, bytes);
}

std::uint64_t BlockText::position_of(std::size_t index) const noexcept { return read_ - (end_ - index); }

/// Appends a piece to the buffer, after moving the bytes not yet delivered to its front. Where a row is
/// longer than a piece, the next piece is as long as the bytes held, so that the row is moved and searched
/// only a few times.
void BlockText::read_more() {
  const std::size_t kept = end_ - begin_;
  const std::size_t asked = std::max(piece_bytes_, kept);
  if (buffer_.size() < headroom + kept + asked) buffer_.resize(headroom + kept + asked);
  std::memmove(buffer_.data() + headroom, buffer_.data() + begin_, kept);
  std::fill_n(buffer_.data(), headroom, '\n');
  begin_ = headroom;
  end_ = headroom + kept;
  const std::uint64_t left = block_.range.file->size_bytes() - read_;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(asked, left));
  block_.range.file->read(read_, std::span(buffer_).subspan(end_, count));
  end_ += count;
  read_ += count;
  if (kept > max_row_bytes) throw_overlong();
}

void BlockText::throw_overlong() const {
  const detail::RangeFile& file = *block_.range.file;
  throw DataError(file.path(), file.lines_before(position_of(begin_)) + 1,
                  overlong_problem("the row that begins here", false));
}

/// Moves to the first row that begins in the block. Returns false if none does.
bool BlockText::seek_first_row() {
  const BlockRange& range = block_.range;
  begin_ = end_ = headroom;
  if (buffer_.size() < headroom) buffer_.resize(headroom);
  if (range.begin <= range.first_row) {
    read_ = range.first_row;
    return range.first_row < range.end;
  }
  // A row that begins exactly here was ended by the byte before.
  read_ = range.begin - 1;
  while (read_ < range.file->size_bytes()) {
    begin_ = end_;  // these bytes belong to a row of an earlier block
    read_more();
    const void* const line_end = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (line_end != nullptr) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(line_end) - buffer_.data()) + 1;
      return position_of(begin_) < range.end;
    }
    if (read_ >= range.end) return false;
  }
  return false;
}

std::string_view BlockText::next_on_disk() {
  const BlockRange& range = block_.range;
  if (!started_) {
    block_.num_lines = block_.num_rows = block_.num_bytes = 0;
    started_ = true;
    if (!seek_first_row()) {
      done_ = true;
      return {};
    }
  }
  while (true) {
    if (end_ > begin_) {
      char* const rows = buffer_.data() + begin_;
      const std::size_t held = end_ - begin_;
      // The last row of the block is the row that holds the block's last byte.
      const std::uint64_t to_last_byte = range.end - 1 - std::min(position_of(begin_), range.end - 1);
      if (read_ >= range.end) {
        const void* const line_end = std::memchr(rows + to_last_byte, '\n', held - to_last_byte);
        done_ = line_end != nullptr;
        if (done_) return deliver(line_end);
      }
      const void* const line_end = ::memrchr(rows, '\n', std::min<std::uint64_t>(held, to_last_byte));
      if (line_end != nullptr) return deliver(line_end);
    }
    if (read_ >= range.file->size_bytes()) {
      done_ = true;
      // The file's last row, which has no line end. This is allowed only if nobody is still writing it.
      range.file->require_end();
      return deliver(buffer_.data() + end_ - 1);
    }
    read_more();
  }
}

/// Returns the rows up to and including the byte at `last`; none if `last` stands before them.
std::string_view BlockText::deliver(const void* last) {
  const std::size_t end = static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
  const std::string_view rows(buffer_.data() + begin_, end - begin_);
  // Only the first row can be longer than a piece.
  if (rows.size() > max_row_bytes && rows.find('\n') >= max_row_bytes) throw_overlong();
  count(rows);
  begin_ = end;
  return rows;
}

void BlockText::count(std::string_view rows) {
  if (rows.empty()) return;
  // In the buffer, a line end or headroom that looks like one stands before every row.
  detail::LineCount lines = detail::count_line_ends({rows.data() - headroom, rows.size() + headroom});
  if (rows.back() != '\n') {
    const std::size_t last_begin = rows.rfind('\n') + 1;
    ++lines.lines;
    if (rows.substr(last_begin) == "\r") ++lines.blank;
  }
  block_.num_lines += lines.lines;
  block_.num_rows += lines.lines - (block_.range.blank_lines_are_rows ? 0 : lines.blank);
  block_.num_bytes += rows.size();
}

void load_text(Block& block) {
  if (block.range.file == nullptr) return;
  std::string buffer;
  BlockText text(block, buffer);
  block.bytes.clear();
  for (std::string_view rows = text.next(); !rows.empty(); rows = text.next()) block.bytes += rows;
  block.range = {};
}

}  // namespace widehash
