#include "quoted_row_cutter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace widehash::detail {

QuotedRowCutter::QuotedRowCutter(Settings settings) : RowCutter(std::move(settings)) {}

void QuotedRowCutter::add(std::string_view chunk) {
  const Dialect& dialect = settings().dialect;
  std::size_t at = 0;
  // With trimming, spaces may precede an opening quote, and these are looked at one by one.
  while (!dialect.trim && chunk.size() - at >= class_bytes) {
    if (at > 0) at += add_uncut_steps(chunk.substr(at));
    if (chunk.size() - at < class_bytes) break;
    const std::string_view bytes = chunk.substr(at, class_bytes);
    const ByteClasses classes = classify_bytes(bytes.data(), dialect.delimiter, dialect.quote);
    if (!add_step(bytes.data(), classes)) add_one_by_one(bytes);
    at += class_bytes;
  }
  add_one_by_one(chunk.substr(at));
  check_row_length(position_);
}

std::size_t QuotedRowCutter::add_uncut_steps(std::string_view text) {
  if (seeks_header()) return 0;
  const std::uint64_t overlong_from = row_begin().position + max_row_bytes;
  const std::uint64_t up_to = std::min(next_target() - 1, overlong_from);
  if (up_to <= position_) return 0;
  const std::size_t steps = std::min<std::uint64_t>(text.size(), up_to - position_) / class_bytes;
  if (steps == 0) return 0;
  const QuotedLines seen =
      count_quoted_lines(text.data(), steps, settings().dialect.delimiter, settings().dialect.quote, place_);
  if (seen.num_steps == 0) return 0;
  const std::string_view taken = text.substr(0, seen.num_steps * class_bytes);
  const char* const end = taken.data() + taken.size();
  const auto lines_from = [&](const char* from) {
    return static_cast<std::uint64_t>(std::count(from, end, '\n'));
  };
  position_ += taken.size();
  num_lines_ += seen.lines;
  num_rows_ += seen.row_ends - (settings().blank_lines_are_rows ? 0 : seen.blank);
  last_ = taken.back();
  if (seen.last_row_end != nullptr) {
    begin_row_at({.position = position_ - static_cast<std::uint64_t>(end - seen.last_row_end),
                  .lines = num_lines_ - lines_from(seen.last_row_end),
                  .rows = num_rows_});
  }
  // Also set after a quote that may be the first of a doubled one: the value then goes on.
  if (seen.last_opening != nullptr) quote_line_ = num_lines_ + 1 - lines_from(seen.last_opening);
  return taken.size();
}

bool QuotedRowCutter::add_step(const char* text, const ByteClasses& classes) {
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
    // A quote right after a quote is the second of a doubled one, inside a value that was opened before.
    const std::uint64_t begins = (classes.delimiters | classes.line_ends) << 1 | (at_field_start ? 1 : 0);
    if (const std::uint64_t opens = opening & begins; opens != 0) {
      // Few line ends follow the opening quote: they are inside its value.
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

void QuotedRowCutter::add_one_by_one(std::string_view bytes) {
  const char quote = settings().dialect.quote;
  const char delimiter = settings().dialect.delimiter;
  const bool trim = settings().dialect.trim;
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
      // At the start of a field the quote opens a value; after a quote inside a value it is the second of a
      // doubled one.
      if (place_ == QuotePlace::field_start) quote_line_ = num_lines_ + 1;
      place_ = QuotePlace::quoted;
    } else if (!(trim && byte == ' ' && place_ == QuotePlace::field_start)) {
      place_ = QuotePlace::bare;
    }
    last_ = byte;
  }
}

void QuotedRowCutter::end_row() {
  check_row_length(position_);
  const bool blank = is_blank(position_ - 1);
  if (!blank || settings().blank_lines_are_rows) ++num_rows_;
  if (!blank && seeks_header()) take_header();
  begin_row();
}

void QuotedRowCutter::finish() {
  if (place_ == QuotePlace::quoted) {
    throw_at(quote_line_,
             "the quote that opens here is never closed; fix the row, or read the file without quotes");
  }
  RowCutter::finish();
}

}  // namespace widehash::detail
