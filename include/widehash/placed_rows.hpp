#pragma once

/// \file
/// Rows of text told by where their values end: four bytes a value, written and read by whole vectors, where
/// a string_view takes sixteen.
///
///     text     1 <tab> a b <tab> <lf> 0 <tab> ...
///     ends     1       4         5    7              values "1", "ab", "", "0"; ends[-1] = -1
///
/// Only rows whose values stand in the text as they are, and whose line ends are CR LF in all of the rows or
/// in none. A row has a place for each separator, so one more than values where it ends in CR LF:
///
///     text     1 <tab> a b <cr> <lf> 0 <tab> ...
///     ends     1       4        5    7               values "1", "ab", "0"
///
/// Of bare rows a value begins behind the separator that ends the one before it. A quoted value stands
/// between its quotes, so its begin is told apart:
///
///     text     1 , " a , b " , " " <lf> 0 , ...
///     before  -1   2             8      10            the byte before each value
///     ends     1             6     9         12       values "1", "a,b", "", "0"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

/// Some values of placed rows, each by the bytes around it, separators or its quotes; owns nothing. From where
/// a value begins eight bytes can be read, however short it is, and eight more places behind the last one of
/// both kinds.
struct PlacedFields {
  const char* text = nullptr;
  const std::uint32_t* before =
      nullptr;                          // before[row * stride + field], from `text` on; -1 is just before it
  const std::uint32_t* ends = nullptr;  // ends[row * stride + field]
  std::size_t num_fields = 0;           // those that are told of
  std::size_t num_rows = 0;
  std::size_t stride = 0;

  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    const std::size_t at = row * stride + field;
    const std::uint32_t begin = before[at] + 1;  // wraps round to 0 for the very first
    return {text + begin, ends[at] - begin};
  }
};

/// A look at such rows; owns nothing. What can be read behind values and places is as above.
struct PlacedRows {
  const char* text = nullptr;
  const std::uint32_t* before = nullptr;  // before[row * stride + field], from `text` on
  const std::uint32_t* ends = nullptr;    // ends[row * stride + field]
  std::size_t num_fields = 0;
  std::size_t num_rows = 0;
  std::size_t stride = 0;  // places a row: num_fields, or num_fields + 1 where rows end in CR LF
  char quote = '\0';       // what quoted values stand between; '\0' where all are bare

  /// Fields [first, first + count), which stand side by side.
  PlacedFields fields(std::size_t first, std::size_t count) const noexcept {
    return {text, before + first, ends + first, count, num_rows, stride};
  }
  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    return fields(field, 1).value(row, 0);
  }
  /// A row's bytes without its line end.
  std::string_view row_text(std::size_t row) const noexcept {
    std::uint32_t begin = before[row * stride] + 1;
    if (begin > 0 && is_quote(begin - 1)) --begin;
    return {text + begin, separator_behind(row * stride + num_fields - 1) - begin};
  }
  /// Where the text behind the last row begins, from `text` on; 0 without rows.
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
