#include "text_table.hpp"

#include "text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace widehash::tools {

void TextTable::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - display_width(row[i]), ' ');
      line += alignment_[i] == 'r' ? padding + row[i] : row[i] + padding;
      line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::size_t num_listed(std::size_t count) noexcept {
  constexpr std::size_t most = 24;
  constexpr std::size_t of_many = 20;
  return count <= most ? count : of_many;
}

std::string rest_text(std::size_t count) {
  return num_listed(count) == count
             ? ""
             : fmt::format("... and {} more: --json has all", count_text(count - num_listed(count)));
}

}  // namespace widehash::tools
