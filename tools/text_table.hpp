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

}  // namespace widehash::tools
