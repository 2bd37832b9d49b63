#pragma once

/// \file
/// Rows of text told by where their values end: four bytes a value, written and read by whole vectors, where
/// a string_view takes sixteen.
///
///     text     1 <tab> a b <tab> <lf> 0 <tab> ...
///     ends     1       4         5    7              values "1", "ab", "", "0"; ends[-1] = -1
///
/// Only rows whose values stand in the text as they are: one byte between any two, no quotes, no carriage
/// returns.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace widehash {

/// A look at such rows; owns nothing. From where a value begins eight bytes can be read, however short it is,
/// and eight more places behind the last one.
struct PlacedRows {
  const char* text = nullptr;
  const std::uint32_t* ends = nullptr;  // ends[row * num_fields + field], from `text` on
  std::size_t num_fields = 0;
  std::size_t num_rows = 0;

  std::string_view value(std::size_t row, std::size_t field) const noexcept {
    const std::uint32_t* const end = ends + row * num_fields + field;
    const std::uint32_t begin = end[-1] + 1;  // wraps round to 0 for the very first
    return {text + begin, *end - begin};
  }
  /// A row's bytes without its line end.
  std::string_view row_text(std::size_t row) const noexcept {
    const char* const begin = value(row, 0).data();
    return {begin, static_cast<std::size_t>(text + ends[(row + 1) * num_fields - 1] - begin)};
  }
  /// Rows [begin, begin + count).
  PlacedRows rows(std::size_t begin, std::size_t count) const noexcept {
    return {text, ends + begin * num_fields, num_fields, count};
  }
};

}  // namespace widehash
