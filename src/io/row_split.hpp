#pragma once

/// \file
/// Splits one row of text into its values. Every function reads from the row's first byte on, passes each
/// value to a sink, and returns where the row ended and what was wrong with it.

#include <widehash/dialect.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace widehash::detail {

struct SplitRow {
  const char* text_end = nullptr;  // without the line end
  const char* next = nullptr;      // the row that follows
  std::uint64_t num_lines = 0;     // line ends passed, including the row's own
  const char* fault = nullptr;     // a reason why the row is bad
};

/// Returns the end of the text of a row that ran up to `row_end` (its LF, or the end of the input), without a
/// CR before it.
inline const char* drop_cr(const char* row_begin, const char* row_end) noexcept {
  return row_end != row_begin && row_end[-1] == '\r' ? row_end - 1 : row_end;
}

/// Compares eight bytes at a time within one register (little-endian).
struct Word {
  static constexpr std::uint64_t low_bits = 0x7F7F7F7F7F7F7F7F;

  static constexpr std::uint64_t repeat(char byte) noexcept {
    return std::uint64_t{0x0101010101010101} * static_cast<unsigned char>(byte);
  }
  /// Sets the top bit of each byte that equals the repeated one. Exact: no byte disturbs its neighbour.
  static constexpr std::uint64_t matches(std::uint64_t bytes, std::uint64_t repeated) noexcept {
    const std::uint64_t difference = bytes ^ repeated;
    return ~(((difference & low_bits) + low_bits) | difference | low_bits);
  }
};

/// Splits a row without quotes. Calls `sink(const char* begin, const char* end)` once per value.
/// Requires: delimiter is not LF.
template <class Sink>
SplitRow split_bare_row(const char* begin, const char* end, char delimiter, Sink&& sink) {
  const std::uint64_t delimiters = Word::repeat(delimiter);
  constexpr std::uint64_t line_ends = Word::repeat('\n');
  const char* value = begin;
  const char* at = begin;
  const auto finish = [&](const char* row_end) {
    const char* const text_end = drop_cr(value, row_end);
    sink(value, text_end);
    return SplitRow{.text_end = text_end, .next = row_end == end ? end : row_end + 1, .num_lines = 1};
  };
  for (; end - at >= 8; at += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    std::uint64_t hits = Word::matches(bytes, delimiters) | Word::matches(bytes, line_ends);
    for (; hits != 0; hits &= hits - 1) {
      const char* const hit = at + std::countr_zero(hits) / 8;
      if (*hit == '\n') return finish(hit);
      sink(value, hit);
      value = hit + 1;
    }
  }
  for (; at != end; ++at) {
    if (*at == '\n') return finish(at);
    if (*at != delimiter) continue;
    sink(value, at);
    value = at + 1;
  }
  return finish(end);
}

/// Splits a row that may hold quoted values. Calls `sink(begin, end, doubled)` once per value, without quotes
/// and trimmed spaces; `doubled` says that quotes inside are still doubled.
template <class Sink>
SplitRow split_quoted_row(const char* begin, const char* end, const Dialect& dialect, Sink&& sink) {
  const bool trim = dialect.trims();
  const auto skip_spaces = [&](const char* from) {
    while (trim && from != end && *from == ' ') ++from;
    return from;
  };
  SplitRow row;
  const char* at = begin;
  while (true) {
    const char* value = skip_spaces(at);
    const char* value_end = nullptr;  // known in advance for a quoted value only
    bool doubled = false;
    if (value != end && *value == dialect.quote) {
      const char* scan = ++value;
      while (true) {
        while (scan != end && *scan != dialect.quote) row.num_lines += *scan++ == '\n';
        if (scan == end || end - scan == 1 || scan[1] != dialect.quote) break;
        doubled = true;
        scan += 2;
      }
      value_end = scan;
      if (scan == end) {
        row.fault = "a quote that is never closed";
        at = end;
      } else {
        at = skip_spaces(scan + 1);
      }
    }
    const char* const bare_from = at;
    while (at != end && *at != dialect.delimiter && *at != '\n') ++at;
    const bool ends_row = at == end || *at == '\n';
    const char* const bare_end = ends_row ? drop_cr(bare_from, at) : at;
    if (value_end == nullptr) {
      const std::string_view bare(bare_from, static_cast<std::size_t>(bare_end - bare_from));
      const std::string_view kept = trim ? trimmed(bare) : bare;
      sink(kept.data(), kept.data() + kept.size(), false);
    } else {
      if (bare_end != bare_from && row.fault == nullptr) row.fault = "text after the closing quote";
      sink(value, value_end, doubled);
    }
    if (ends_row) {
      row.text_end = bare_end;
      row.next = at == end ? end : at + 1;
      ++row.num_lines;
      return row;
    }
    ++at;
  }
}

/// Returns `value` with each doubled quote replaced by a single one.
inline std::string undouble(std::string_view value, char quote) {
  std::string single;
  single.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    single.push_back(value[i]);
    if (value[i] == quote) ++i;
  }
  return single;
}

}  // namespace widehash::detail
