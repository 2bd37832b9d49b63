#pragma once

/// \file
/// Tables of text whose columns line up.

#include <cstddef>
#include <string>
#include <vector>

namespace widehash::tools {

class TextTable {
 public:
  /// One letter a column: 'l' for words, 'r' for numbers. The last column is never padded.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}

  /// Requires as many cells as columns.
  void add(std::vector<std::string> cells);
  bool empty() const noexcept { return rows_.empty(); }

  /// Every row on its line, `indent` spaces before it and two between columns.
  std::string text(std::size_t indent = 0) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// How many of `count` lines people are shown: all, or of many so many that what stands around them stays in sight.
std::size_t num_listed(std::size_t count) noexcept;
/// "... and 1,980 more: --json has all"; "" where all are shown.
std::string rest_text(std::size_t count);

}  // namespace widehash::tools
