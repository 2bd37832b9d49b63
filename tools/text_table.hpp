#pragma once

/// \file
/// Tables of text with aligned columns.

#include <cstddef>
#include <string>
#include <vector>

namespace widehash::tools {

class TextTable {
 public:
  /// `alignment` has one letter per column: 'l' for words, 'r' for numbers. Lines never end in padding.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}

  /// Adds a row. Requires as many cells as columns.
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.empty(); }

  /// Returns the rows, one line each, with `indent` spaces before each and two between columns.
  std::string text(std::size_t indent = 0) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// Returns how many of `count` lines to show people: all of them, or, if there are many, few enough that the
/// text around them stays in sight.
std::size_t num_listed(std::size_t count) noexcept;
/// "... and 1,980 more: --json has all"; "" if all are shown.
std::string rest_text(std::size_t count);

}  // namespace widehash::tools
