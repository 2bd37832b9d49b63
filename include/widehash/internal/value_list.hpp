#pragma once

/// \file
/// Several values as one text, whatever bytes they hold: each is preceded by its length. In this form the
/// rows of a column of lists are encoded together with the other columns (RowsView::lists). It is never
/// written to a file.

#include <cstddef>
#include <cstring>
#include <string_view>

namespace widehash {

/// Bytes that a value of `size` bytes takes in a list.
constexpr std::size_t listed_bytes(std::size_t size) noexcept { return sizeof size + size; }

/// Writes a value at `to`, where listed_bytes(value.size()) bytes must be free, and returns its end.
inline char* write_listed(std::string_view value, char* to) noexcept {
  const std::size_t size = value.size();
  std::memcpy(to, &size, sizeof size);
  to += sizeof size;
  if (size > 0) std::memcpy(to, value.data(), size);
  return to + size;
}

/// Calls use(value) for each value of `list`, which write_listed() wrote.
template <class Use>
void for_each_listed(std::string_view list, Use&& use) {
  while (!list.empty()) {
    std::size_t size = 0;
    std::memcpy(&size, list.data(), sizeof size);
    use(list.substr(sizeof size, size));
    list.remove_prefix(listed_bytes(size));
  }
}

/// Number of values in `list`.
inline std::size_t num_listed(std::string_view list) noexcept {
  std::size_t count = 0;
  for_each_listed(list, [&](std::string_view) { ++count; });
  return count;
}

}  // namespace widehash
