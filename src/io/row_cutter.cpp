#include "row_cutter.hpp"

#include "line_count.hpp"

#include <widehash/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace widehash::detail {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The first multiple of `step` past `position`; `never` where 64 bits cannot hold it.
std::uint64_t next_multiple(std::uint64_t position, std::uint64_t step) noexcept {
  const std::uint64_t below = position / step * step;
  return below > never - step ? never : below + step;
}

}  // namespace

RowCutter::RowCutter(Settings settings)
    : settings_(std::move(settings)),
      position_(settings_.begin),
      row_begin_{.position = settings_.begin},
      next_target_(target_behind(settings_.begin)) {}

void RowCutter::add(std::string_view chunk) {
  if (chunk.empty()) return;
  if (settings_.dialect.quote == '\0') {
    add_bare(chunk);
  } else {
    add_quoted(chunk);
  }
}

/// Every byte is counted, but rows are looked for one by one only up to the header's end and at each block's
/// end.
void RowCutter::add_bare(std::string_view chunk) {
  const std::uint64_t chunk_begin = position_;
  const auto find_end = [&](std::size_t from) {
    const std::size_t at = chunk.find('\n', from);
    return at == std::string_view::npos ? at : at + 1;
  };
  const auto advance = [&](std::size_t to) {
    count_lines(chunk.substr(position_ - chunk_begin, to - (position_ - chunk_begin)));
  };

  // Inside a chunk no row is too long, for a chunk is shorter than the longest row.
  const std::size_t first_end = find_end(0);
  check_row_length(chunk_begin + (first_end == std::string_view::npos ? chunk.size() : first_end));

  std::size_t searched = 0;
  while (true) {
    const bool seeks_header = settings_.has_header && !header_found_;
    if (!seeks_header && next_target_ > chunk_begin + chunk.size()) break;
    // A row that begins exactly at the target was ended by the byte before it.
    if (!seeks_header && next_target_ - 1 > chunk_begin + searched) searched = next_target_ - 1 - chunk_begin;
    const std::size_t row_end = find_end(searched);
    if (row_end == std::string_view::npos) break;
    if (seeks_header) {
      const std::uint64_t rows_before = num_rows_;
      const RowCut begin = row_begin_;
      advance(row_end);
      if (num_rows_ > rows_before) {
        header_found_ = true;
        header_begin_ = begin;
        header_end_ = end();
      }
    } else {
      advance(row_end);
    }
    row_begin_ = end();
    if (position_ >= next_target_) {
      cuts_.push_back(row_begin_);
      next_target_ = target_behind(position_);
    }
    searched = row_end;
  }

  const std::size_t last_end = chunk.rfind('\n');
  if (last_end != std::string_view::npos && chunk_begin + last_end + 1 > position_) {
    advance(last_end + 1);
    row_begin_ = end();
  }
  advance(chunk.size());
}

void RowCutter::count_lines(std::string_view piece) {
  if (piece.empty()) return;
  // The first two bytes are counted with what stood before them in front, so that chunk borders do not
  // matter.
  std::array<char, 4> front{before_last_, last_, piece[0], piece.size() > 1 ? piece[1] : '\0'};
  LineCount count = count_line_ends({front.data(), 2 + std::min<std::size_t>(piece.size(), 2)});
  const LineCount rest = count_line_ends(piece);
  count.lines += rest.lines;
  count.blank += rest.blank;

  num_lines_ += count.lines;
  num_rows_ += count.lines - (settings_.blank_lines_are_rows ? 0 : count.blank);
  position_ += piece.size();
  before_last_ = piece.size() > 1 ? piece[piece.size() - 2] : last_;
  last_ = piece.back();
}

void RowCutter::add_quoted(std::string_view chunk) {
  std::size_t at = 0;
  // Before trimmed quotes stand spaces, and these are looked at one by one.
  while (!settings_.dialect.trim && chunk.size() - at >= class_bytes) {
    if (at > 0) at += add_uncut_steps(chunk.substr(at));
    if (chunk.size() - at < class_bytes) break;
    const std::string_view bytes = chunk.substr(at, class_bytes);
    const ByteClasses classes =
        classify_bytes(bytes.data(), settings_.dialect.delimiter, settings_.dialect.quote);
    if (!add_step(bytes.data(), classes)) add_one_by_one(bytes);
    at += class_bytes;
  }
  add_one_by_one(chunk.substr(at));
  check_row_length(position_);
}

/// Takes steps in which no row ends that a cut would stand behind, and returns their bytes: of these rows it
/// need not be known where they are. Requires that two bytes of the chunk stand before `text`.
std::size_t RowCutter::add_uncut_steps(std::string_view text) {
  if (settings_.has_header && !header_found_) return 0;
  const std::uint64_t overlong_from = row_begin_.position + max_row_bytes;
  const std::uint64_t up_to = std::min(next_target_ - 1, overlong_from);
  if (up_to <= position_) return 0;
  const std::size_t steps = std::min<std::uint64_t>(text.size(), up_to - position_) / class_bytes;
  if (steps == 0) return 0;
  const QuotedLines seen =
      count_quoted_lines(text.data(), steps, settings_.dialect.delimiter, settings_.dialect.quote, place_);
  if (seen.num_steps == 0) return 0;
  const std::string_view taken = text.substr(0, seen.num_steps * class_bytes);
  const char* const end = taken.data() + taken.size();
  const auto lines_from = [&](const char* from) {
    return static_cast<std::uint64_t>(std::count(from, end, '\n'));
  };
  position_ += taken.size();
  num_lines_ += seen.lines;
  num_rows_ += seen.row_ends - (settings_.blank_lines_are_rows ? 0 : seen.blank);
  last_ = taken.back();
  if (seen.last_row_end != nullptr) {
    row_begin_ = {.position = position_ - static_cast<std::uint64_t>(end - seen.last_row_end),
                  .lines = num_lines_ - lines_from(seen.last_row_end),
                  .rows = num_rows_};
  }
  // Also behind a quote that may be the first of two: then the value goes on.
  if (seen.last_opening != nullptr) quote_line_ = num_lines_ + 1 - lines_from(seen.last_opening);
  return taken.size();
}

/// Sixty-four bytes at once, where each quote opens a value, closes one or is doubled inside one: then the
/// parity of quotes tells what stands inside. False, and nothing done, where one is an ordinary byte.
bool RowCutter::add_step(const char* text, const ByteClasses& classes) {
  const std::uint64_t was_inside = place_ == QuotePlace::quoted ? ~std::uint64_t{0} : 0;
  const std::uint64_t inside = parity_up_to(classes.quotes) ^ was_inside;
  const std::uint64_t opening = classes.quotes & inside;
  const std::uint64_t may_open_after = classes.delimiters | classes.line_ends | classes.quotes;
  const bool at_field_start = place_ == QuotePlace::field_start;
  const bool first_may_open = at_field_start || place_ == QuotePlace::quote_in_quoted;
  if ((opening & ~(may_open_after << 1 | (first_may_open ? 1 : 0))) != 0) return false;

  const std::uint64_t begin = position_;
  for (std::uint64_t ends = classes.line_ends; ends != 0; ends &= ends - 1) {
    ++num_lines_;
    const int bit = std::countr_zero(ends);
    if ((inside >> bit & 1) != 0) continue;
    position_ = begin + static_cast<std::uint64_t>(bit) + 1;
    if (bit > 0) last_ = text[bit - 1];
    end_row();
  }
  position_ = begin + class_bytes;
  last_ = text[class_bytes - 1];
  constexpr std::uint64_t last_bit = std::uint64_t{1} << (class_bytes - 1);
  if (((inside | classes.quotes) & last_bit) != 0) {
    place_ = (inside & last_bit) != 0 ? QuotePlace::quoted : QuotePlace::quote_in_quoted;
    // One behind a quote is the second of a doubled one, inside a value that was opened before.
    const std::uint64_t begins = (classes.delimiters | classes.line_ends) << 1 | (at_field_start ? 1 : 0);
    if (const std::uint64_t opens = opening & begins; opens != 0) {
      // Line ends behind it are few: they are in its value.
      quote_line_ = num_lines_ + 1;
      std::uint64_t behind = classes.line_ends & ~std::uint64_t{0} << (63 - std::countl_zero(opens));
      for (; behind != 0; behind &= behind - 1) --quote_line_;
    }
  } else {
    const bool is_separator = ((classes.delimiters | classes.line_ends) & last_bit) != 0;
    place_ = is_separator ? QuotePlace::field_start : QuotePlace::bare;
  }
  return true;
}

void RowCutter::add_one_by_one(std::string_view bytes) {
  const char quote = settings_.dialect.quote;
  const char delimiter = settings_.dialect.delimiter;
  const bool trim = settings_.dialect.trim;
  for (const char byte : bytes) {
    ++position_;
    if (byte == '\n') ++num_lines_;
    if (place_ == QuotePlace::quoted) {
      if (byte == quote) place_ = QuotePlace::quote_in_quoted;
    } else if (byte == '\n') {
      end_row();
      place_ = QuotePlace::field_start;
    } else if (byte == delimiter) {
      place_ = QuotePlace::field_start;
    } else if (byte == quote && place_ != QuotePlace::bare) {
      // At a field's start it opens; after a quote inside it is the second of a doubled one.
      if (place_ == QuotePlace::field_start) quote_line_ = num_lines_ + 1;
      place_ = QuotePlace::quoted;
    } else if (!(trim && byte == ' ' && place_ == QuotePlace::field_start)) {
      place_ = QuotePlace::bare;
    }
    last_ = byte;
  }
}

/// A row ended with the byte before position_.
void RowCutter::end_row() {
  check_row_length(position_);
  const bool counts = settings_.blank_lines_are_rows || !is_blank(position_ - 1);
  if (counts) {
    ++num_rows_;
    if (settings_.has_header && !header_found_) {
      header_found_ = true;
      header_begin_ = row_begin_;
      header_end_ = end();
    }
  }
  row_begin_ = end();
  if (position_ >= next_target_) {
    cuts_.push_back(row_begin_);
    next_target_ = target_behind(position_);
  }
}

/// Whether the row up to `row_end`, its LF left out, is empty or a CR only. Requires: last_ is the byte
/// before row_end.
bool RowCutter::is_blank(std::uint64_t row_end) const {
  const std::uint64_t bytes = row_end - row_begin_.position;
  return bytes == 0 || (bytes == 1 && last_ == '\r');
}

void RowCutter::finish() {
  if (place_ == QuotePlace::quoted) {
    throw_at(quote_line_,
             "a quote that opens here is never closed; mend the row, or read the file without quotes");
  }
  if (position_ == row_begin_.position) return;
  ++num_lines_;
  if (!settings_.blank_lines_are_rows && is_blank(position_)) return;
  ++num_rows_;
  if (settings_.has_header && !header_found_) {
    header_found_ = true;
    header_begin_ = row_begin_;
    header_end_ = end();
  }
}

const RowCut* RowCutter::first_cut_from(std::uint64_t position) {
  while (!cuts_.empty() && cuts_.front().position < position) cuts_.pop_front();
  return cuts_.empty() ? nullptr : &cuts_.front();
}

std::optional<RowCut> RowCutter::take_cut() {
  if (cuts_.empty()) return std::nullopt;
  const RowCut cut = cuts_.front();
  cuts_.pop_front();
  return cut;
}

std::uint64_t RowCutter::target_behind(std::uint64_t position) const noexcept {
  const std::uint64_t block_end = next_multiple(position, settings_.block_bytes);
  return settings_.piece_bytes == 0 ? block_end : std::min(block_end, position + settings_.piece_bytes);
}

void RowCutter::check_row_length(std::uint64_t row_end) const {
  if (row_end - row_begin_.position <= max_row_bytes) return;
  throw_at(row_begin_.lines + 1,
           fmt::format("the row that begins here has no end within {} MiB; the file may be no table, or be "
                       "compressed in a way that is not known here, or the quote may be set wrongly",
                       max_row_bytes >> 20));
}

void RowCutter::throw_at(std::uint64_t line, const std::string& problem) const {
  throw DataError(settings_.name, (settings_.lines_before ? settings_.lines_before() : 0) + line, problem);
}

}  // namespace widehash::detail
