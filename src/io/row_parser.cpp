#include "quoted_places.hpp"
#include "row_places.hpp"
#include "row_scan.hpp"
#include "row_split.hpp"

#include <widehash/error.hpp>
#include <widehash/internal/row_parser.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

using detail::SplitRow;

constexpr std::size_t max_shown_bytes = 200;
// Fewer bytes are not worth a separate scan.
constexpr std::size_t least_placed_bytes = 1024;
// Rows to take by views, after a scan by places met a row that places cannot describe, before places are
// tried again.
constexpr std::size_t few_rows = 8;

/// Stores the values of one row, and also counts those that there is no room for.
struct RowSlot {
  std::string_view* values = nullptr;
  std::size_t num_fields = 0;
  std::size_t seen = 0;

  void add(std::string_view value) noexcept {
    if (seen < num_fields) values[seen] = value;
    ++seen;
  }
};

std::string_view view(const char* begin, const char* end) noexcept {
  return {begin, static_cast<std::size_t>(end - begin)};
}

SplitRow split_row(std::string_view rest, const Dialect& dialect, RowSlot& slot, RowBatch& batch) {
  const char* const begin = rest.data();
  const char* const end = begin + rest.size();
  if (dialect.quote == '\0') {
    const SplitRow row = detail::split_bare_row(
        begin, end, dialect.delimiter, [&](const char* from, const char* to) { slot.add(view(from, to)); });
    if (dialect.trims()) {
      const std::size_t filled = std::min(slot.seen, slot.num_fields);
      for (std::size_t i = 0; i < filled; ++i) slot.values[i] = trimmed(slot.values[i]);
    }
    return row;
  }
  return detail::split_quoted_row(begin, end, dialect, [&](const char* from, const char* to, bool doubled) {
    if (!doubled) return slot.add(view(from, to));
    batch.rewritten.push_back(std::make_unique<std::string>(detail::undouble(view(from, to), dialect.quote)));
    slot.add(*batch.rewritten.back());
  });
}

/// Returns why a split row is bad; empty for a good one.
std::string reason_against(const SplitRow& row, std::string_view text, const RowSlot& slot,
                           const Dialect& dialect) {
  if (row.fault != nullptr) return row.fault;
  if (slot.seen != slot.num_fields) {
    return fmt::format("{} {}, but {} {} expected", slot.seen, slot.seen == 1 ? "field" : "fields",
                       slot.num_fields, slot.num_fields == 1 ? "is" : "are");
  }
  if (text.size() <= dialect.max_field_bytes) return {};
  for (std::size_t i = 0; i < slot.num_fields; ++i) {
    if (slot.values[i].size() > dialect.max_field_bytes) {
      return fmt::format("field {} has {} bytes; at most {} are allowed (max_field_bytes)", i + 1,
                         slot.values[i].size(), dialect.max_field_bytes);
    }
  }
  return {};
}

/// Returns the bytes of the blank line at the beginning of `rest`; 0 if it begins with a row.
std::size_t blank_line_bytes(std::string_view rest) noexcept {
  if (rest.starts_with('\n')) return 1;
  if (rest.starts_with("\r\n")) return 2;
  return rest == "\r" ? 1 : 0;
}

}  // namespace

std::string overlong_problem(std::string_view row, bool has_quote) {
  return fmt::format(
      "{} does not end within {} MiB; the file may not be a table, {}may be compressed in an unsupported "
      "format{}",
      row, max_row_bytes >> 20, has_quote ? "it " : "or ", has_quote ? ", or the quote may be wrong" : "");
}

void RowBatch::clear() {
  num_fields = 0;
  num_rows = 0;
  fields.clear();
  lines.clear();
  texts.clear();
  bad_rows.clear();
  rewritten.clear();
}

RowParser::RowParser(const Dialect& dialect, std::size_t num_fields)
    : dialect_(dialect), num_fields_(num_fields) {
  if (num_fields == 0) throw ShapeError("rows of 0 fields cannot be parsed; give the number of fields");
}

void RowParser::start(std::string_view text, std::uint64_t first_line) {
  rest_ = text;
  next_quote_ = nullptr;
  skips_places_ = false;
  most_by_views_ = 0;
  line_ = first_line;
}

bool RowParser::next(RowBatch& batch, std::size_t max_rows) {
  if (max_rows == 0) throw ShapeError("a batch of 0 rows cannot take rows; ask for at least 1");
  batch.clear();
  batch.num_fields = num_fields_;
  if (most_by_views_ != 0) max_rows = std::min(max_rows, most_by_views_);
  const auto num_taken = [&] { return batch.num_rows + batch.bad_rows.size(); };
  while (!rest_.empty() && num_taken() < max_rows) {
    if (!dialect_.trim || dialect_.quote == '\0') {
      take_scanned_rows(batch, max_rows - num_taken());
      if (rest_.empty() || num_taken() == max_rows) break;
    }
    take_one_row(batch);
  }
  batch.fields.resize(batch.num_rows * num_fields_);
  return num_taken() > 0;
}

/// Returns the place of the next quote, or the end of the text.
const char* RowParser::next_quote() noexcept {
  if (next_quote_ == nullptr || next_quote_ < rest_.data()) {
    const std::size_t bytes = std::min(rest_.find(dialect_.quote), rest_.size());
    next_quote_ = rest_.data() + bytes;
  }
  return next_quote_;
}

/// Scans the places of the rows at the beginning of rest_ that stand within its first `bytes`.
PlacedRows RowParser::scan_rows_by_places(std::size_t bytes, bool quoted, std::size_t max_rows,
                                          RawVector<std::uint32_t>& places) const {
  const char* const begin = rest_.data();
  const char* const end = begin + bytes;
  const detail::LineEnd line_end = detail::first_line_end(begin, end);
  PlacedRows rows{
      .text = begin, .num_fields = num_fields_, .stride = detail::place_stride(num_fields_, line_end)};
  const std::size_t room = max_rows * rows.stride + detail::places_slack;
  if (quoted) {
    places.resize(2 * room);
    rows.before = places.data();
    rows.ends = places.data() + room;
    rows.quote = dialect_.quote;
    rows.num_rows = detail::scan_quoted_places(begin, end, dialect_.delimiter, dialect_.quote, line_end,
                                               num_fields_, max_rows, places.data(), places.data() + room);
  } else {
    places.resize(1 + room);
    places[0] = static_cast<std::uint32_t>(-1);
    rows.before = places.data();
    rows.ends = places.data() + 1;
    rows.num_rows = detail::scan_places(begin, end, dialect_.delimiter, line_end, num_fields_, max_rows,
                                        places.data() + 1);
  }
  return rows;
}

bool RowParser::next_placed(PlacedBatch& batch, std::size_t max_rows) {
  batch.rows = {};
  if (dialect_.trim || std::exchange(skips_places_, false)) return false;
  // Bytes beyond the reach of a place are left for the next call.
  constexpr std::size_t reach = std::size_t{1} << 31;
  const std::size_t all_bytes = std::min(rest_.size(), reach);
  std::size_t bare_bytes = all_bytes;
  if (dialect_.quote != '\0') {
    bare_bytes = std::min(all_bytes, static_cast<std::size_t>(next_quote() - rest_.data()));
  }
  const bool meets_quote = bare_bytes < all_bytes;
  PlacedRows rows;
  if (!meets_quote || bare_bytes >= least_placed_bytes) {
    rows = scan_rows_by_places(bare_bytes, false, max_rows, batch.places);
  }
  const bool quoted = meets_quote && rows.num_rows == 0;
  if (quoted) rows = scan_rows_by_places(all_bytes, true, max_rows, batch.places);
  if (rows.text_bytes() > dialect_.max_field_bytes) {
    const std::size_t num_whole = std::exchange(rows.num_rows, 0);
    while (rows.num_rows < num_whole && rows.row_text(rows.num_rows).size() <= dialect_.max_field_bytes) {
      ++rows.num_rows;
    }
  }
  // Few rows before a row with a quote are normal. But where both kinds of line end alternate, or every few
  // rows have something that places cannot describe, each scan of many rows would take few; so the other way
  // takes more and more of them.
  const std::string_view left =
      rest_.substr(rows.text_bytes(), bare_bytes - std::min(bare_bytes, rows.text_bytes()));
  const bool reached_quote =
      meets_quote && !quoted && (left.size() < least_placed_bytes || left.find('\n') == left.npos);
  const bool are_few = rows.num_rows < max_rows / 4 && !reached_quote;
  most_by_views_ = are_few ? std::max(std::min(2 * most_by_views_, max_rows), few_rows) : few_rows / 2;
  if (rows.num_rows == 0) return false;
  skips_places_ = are_few;
  batch.rows = rows;
  batch.first_line = line_;
  line_ += rows.num_rows;
  rest_.remove_prefix(rows.text_bytes());
  return true;
}

void RowParser::take_scanned_rows(RowBatch& batch, std::size_t max_rows) {
  const std::size_t first = batch.num_rows * num_fields_;
  batch.fields.resize(first + max_rows * num_fields_ + detail::scan_slack);
  std::string_view* const fields = batch.fields.data() + first;
  const detail::RowScan scan =
      detail::scan_rows(rest_.data(), rest_.data() + rest_.size(), dialect_, num_fields_, max_rows, fields);
  const bool may_be_overlong = static_cast<std::size_t>(scan.next - rest_.data()) > dialect_.max_field_bytes;
  const bool trims = dialect_.trims();
  const char* begin = rest_.data();
  for (std::size_t row = 0; row < scan.num_rows; ++row) {
    std::string_view* const values = fields + row * num_fields_;
    const std::string_view& last = values[num_fields_ - 1];
    const char* end = last.data() + last.size();
    while (*end != '\n') ++end;  // past a closing quote and a CR
    if (trims) std::transform(values, values + num_fields_, values, trimmed);
    if (may_be_overlong && std::any_of(values, values + num_fields_, [this](std::string_view value) {
          return value.size() > dialect_.max_field_bytes;
        })) {
      break;
    }
    ++batch.num_rows;
    batch.lines.push_back(line_++);
    batch.texts.push_back(view(begin, detail::drop_cr(begin, end)));
    begin = end + 1;
  }
  rest_.remove_prefix(static_cast<std::size_t>(begin - rest_.data()));
}

void RowParser::take_one_row(RowBatch& batch) {
  if (num_fields_ > 1) {
    // Skips all consecutive blank lines at once: a file may hold gigabytes of them.
    std::size_t blank = blank_line_bytes(rest_);
    if (blank > 0) {
      for (; blank > 0; blank = blank_line_bytes(rest_)) {
        rest_.remove_prefix(blank);
        ++line_;
      }
      return;
    }
  }
  const std::size_t row_begin = batch.num_rows * num_fields_;
  batch.fields.resize(row_begin + num_fields_);
  RowSlot slot{.values = batch.fields.data() + row_begin, .num_fields = num_fields_};
  const SplitRow row = split_row(rest_, dialect_, slot, batch);
  const std::string_view text = view(rest_.data(), row.text_end);
  std::string reason = reason_against(row, text, slot, dialect_);
  if (reason.empty()) {
    ++batch.num_rows;
    batch.lines.push_back(line_);
    batch.texts.push_back(text);
  } else {
    batch.bad_rows.push_back(
        {.line = line_, .reason = std::move(reason), .text = std::string(text.substr(0, max_shown_bytes))});
  }
  line_ += row.num_lines;
  rest_.remove_prefix(static_cast<std::size_t>(row.next - rest_.data()));
}

std::vector<std::string> parse_fields(const Dialect& dialect, std::string_view row, const char** fault) {
  std::vector<std::string> fields;
  detail::SplitRow split;
  const char* const begin = row.data();
  const char* const end = begin + row.size();
  if (dialect.quote == '\0') {
    const bool trim = dialect.trims();
    split = detail::split_bare_row(begin, end, dialect.delimiter, [&](const char* from, const char* to) {
      fields.emplace_back(trim ? trimmed(view(from, to)) : view(from, to));
    });
  } else {
    split =
        detail::split_quoted_row(begin, end, dialect, [&](const char* from, const char* to, bool doubled) {
          fields.push_back(doubled ? detail::undouble(view(from, to), dialect.quote) : std::string(from, to));
        });
  }
  if (fault != nullptr) *fault = split.fault;
  return fields;
}

}  // namespace widehash
