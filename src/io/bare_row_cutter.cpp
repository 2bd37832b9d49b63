#include "bare_row_cutter.hpp"

#include "line_count.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace widehash::detail {

BareRowCutter::BareRowCutter(Settings settings) : RowCutter(std::move(settings)) {}

void BareRowCutter::add(std::string_view chunk) {
  if (chunk.empty()) return;
  const std::uint64_t chunk_begin = position_;
  const auto find_end = [&](std::size_t from) {
    const std::size_t at = chunk.find('\n', from);
    return at == std::string_view::npos ? at : at + 1;
  };
  const auto advance = [&](std::size_t to) {
    const std::size_t from = position_ - chunk_begin;
    count_lines(chunk.substr(from, to - from));
  };

  // No row inside a chunk can be too long, since a chunk is shorter than the longest allowed row.
  const std::size_t first_end = find_end(0);
  check_row_length(chunk_begin + (first_end == std::string_view::npos ? chunk.size() : first_end));

  std::size_t searched = 0;
  while (true) {
    if (!seeks_header()) {
      if (next_target() > chunk_begin + chunk.size()) break;
      // A row that begins exactly at the target was ended by the byte before it.
      if (next_target() - 1 > chunk_begin + searched) searched = next_target() - 1 - chunk_begin;
    }
    const std::size_t row_end = find_end(searched);
    if (row_end == std::string_view::npos) break;
    advance(row_end);
    if (seeks_header() && !has_ended_blank()) take_header();
    begin_row();
    searched = row_end;
  }

  const std::size_t last_end = chunk.rfind('\n');
  if (last_end != std::string_view::npos && chunk_begin + last_end + 1 > position_) {
    advance(last_end + 1);
    begin_row_at(end());
  }
  advance(chunk.size());
}

bool BareRowCutter::has_ended_blank() const noexcept {
  const std::uint64_t text_bytes = position_ - 1 - row_begin().position;
  return text_bytes == 0 || (text_bytes == 1 && before_last_ == '\r');
}

void BareRowCutter::count_lines(std::string_view piece) {
  if (piece.empty()) return;
  // The first two bytes are counted together with the two bytes before them, so that chunk borders do not
  // matter.
  std::array<char, 4> front{before_last_, last_, piece[0], piece.size() > 1 ? piece[1] : '\0'};
  LineCount count = count_line_ends({front.data(), 2 + std::min<std::size_t>(piece.size(), 2)});
  const LineCount rest = count_line_ends(piece);
  count.lines += rest.lines;
  count.blank += rest.blank;

  num_lines_ += count.lines;
  num_rows_ += count.lines - (settings().blank_lines_are_rows ? 0 : count.blank);
  position_ += piece.size();
  before_last_ = piece.size() > 1 ? piece[piece.size() - 2] : last_;
  last_ = piece.back();
}

}  // namespace widehash::detail
