#pragma once

/// \file
/// Rows of text told by where their values end: four bytes a value, written and read by whole vectors, where
/// a string_view takes sixteen.
///
///     text     1 <tab> a b <tab> <lf> 0 <tab> ...
///     ends     1       4         5    7              values "1", "ab", "", "0"; ends[-1] = -1
///
/// Only rows whose values stand in the text as they are: one byte between any two, no quotes, and no carriage
/// returns but those of line ends, which are CR LF in all of the rows or in none. A row has a place for each
/// separator, so one more than values where it ends in CR LF:
///
///     text     1 <tab> a b <cr> <lf> 0 <tab> ...
///     ends     1       4        5    7               values "1", "ab", "0"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

/// Some values of placed rows, each by the separators around it; owns nothing. From where a value begins
/// eight bytes can be read, however short it is, and eight more places behind the last one of both kinds.
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
  const std::uint32_t* ends = nullptr;  // ends[row * stride + field], from `text` on
  std::size_t num_fields = 0;
  std::size_t num_rows = 0;
  std::size_t stride = 0;  // places a row: num_fields, or num_fields + 1 where rows end in CR LF

  /// Fields [first, first + count), which stand side by side.
  PlacedFields fields(std::size_t first, std::size_t count) const noexcept {
    return {text, ends + first - 1, ends + first, count, num_rows, stride};
  }
  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    return fields(field, 1).value(row, 0);
  }
  /// A row's bytes without its line end.
  std::string_view row_text(std::size_t row) const noexcept {
    const char* const begin = value(row, 0).data();
    return {begin, static_cast<std::size_t>(text + ends[row * stride + num_fields - 1] - begin)};
  }
  /// Where the text behind the last row begins, from `text` on; 0 without rows.
  std::size_t text_bytes() const noexcept {
    return num_rows == 0 ? 0 : std::size_t{ends[num_rows * stride - 1]} + 1;
  }
  /// Rows [begin, begin + count).
  PlacedRows rows(std::size_t begin, std::size_t count) const noexcept {
    return {text, ends + begin * stride, num_fields, count, stride};
  }
};

}  // namespace widehash
