#pragma once

/// \file
/// Rows of text described by the offsets at which their values end. An offset takes four bytes per value and
/// is written and read in whole vectors; a string_view takes sixteen.
///
///     text     1 <tab> a b <tab> <lf> 0 <tab> ...
///     ends     1       4         5    7              values "1", "ab", "", "0"; ends[-1] = -1
///
/// This form holds only rows whose values stand in the text unchanged, and whose line ends are CR LF either
/// in all of the rows or in none. A row has one offset per separator, so a row that ends in CR LF has one
/// more than it has values:
///
///     text     1 <tab> a b <cr> <lf> 0 <tab> ...
///     ends     1       4        5    7               values "1", "ab", "0"
///
/// In rows without quotes, a value begins right after the separator that ends the previous value. A quoted
/// value stands between its quotes, so its start is stored separately:
///
///     text     1 , " a , b " , " " <lf> 0 , ...
///     before  -1   2             8      10            the byte before each value
///     ends     1             6     9         12       values "1", "a,b", "", "0"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

/// Some fields of placed rows. Each value is delimited by the bytes around it, which are separators or its
/// quotes. Owns nothing. Eight bytes can be read from the start of any value, however short it is, and eight
/// more offsets can be read after the last one in both `before` and `ends`.
struct PlacedFields {
  const char* text = nullptr;
  /// before[row * stride + field] is the offset from `text` of the byte before the value; -1 is the byte just
  /// before `text`.
  const std::uint32_t* before = nullptr;
  const std::uint32_t* ends = nullptr;  // ends[row * stride + field]
  std::size_t num_fields = 0;           // fields in this view
  std::size_t num_rows = 0;
  std::size_t stride = 0;

  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    const std::size_t at = row * stride + field;
    const std::uint32_t begin = before[at] + 1;  // wraps round to 0 for the very first
    return {text + begin, ends[at] - begin};
  }
};

/// A view of such rows; owns nothing. As many bytes and offsets can be read past the values as in
/// PlacedFields.
struct PlacedRows {
  const char* text = nullptr;
  const std::uint32_t* before = nullptr;  // before[row * stride + field], an offset from `text`
  const std::uint32_t* ends = nullptr;    // ends[row * stride + field]
  std::size_t num_fields = 0;
  std::size_t num_rows = 0;
  std::size_t stride = 0;  // offsets per row: num_fields, or num_fields + 1 where rows end in CR LF
  char quote = '\0';       // the quote around quoted values; '\0' where no value is quoted

  /// Fields [first, first + count), which are adjacent.
  PlacedFields fields(std::size_t first, std::size_t count) const noexcept {
    return {text, before + first, ends + first, count, num_rows, stride};
  }
  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    return fields(field, 1).value(row, 0);
  }
  /// The bytes of a row without its line end.
  std::string_view row_text(std::size_t row) const noexcept {
    std::uint32_t begin = before[row * stride] + 1;
    if (begin > 0 && is_quote(begin - 1)) --begin;
    return {text + begin, separator_behind(row * stride + num_fields - 1) - begin};
  }
  /// Offset from `text` at which the text after the last row begins; 0 without rows.
  std::size_t text_bytes() const noexcept {
    return num_rows == 0 ? 0 : separator_behind(num_rows * stride - 1) + 1;
  }
  /// Rows [begin, begin + count).
  PlacedRows rows(std::size_t begin, std::size_t count) const noexcept {
    return {text, before + begin * stride, ends + begin * stride, num_fields, count, stride, quote};
  }

 private:
  bool is_quote(std::uint32_t at) const noexcept { return quote != '\0' && text[at] == quote; }
  std::size_t separator_behind(std::size_t place) const noexcept {
    return std::size_t{ends[place]} + (is_quote(ends[place]) ? 1 : 0);
  }
};

}  // namespace widehash
