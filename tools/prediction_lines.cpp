#include "prediction_lines.hpp"

#include <widehash/internal/escaped_text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

namespace widehash::tools {

std::string prediction_lines(const PredictedLines& rows) {
  constexpr std::size_t longest_number = 24;
  std::size_t kept_bytes = 0;
  for (const std::string_view kept : rows.kept) kept_bytes += kept.size();
  std::string text(kept_bytes + rows.predictions.size() * (longest_number + 1), '\0');
  char* end = text.data();
  auto kept = rows.kept.begin();
  for (std::size_t i = 0, output = 0; i < rows.predictions.size(); ++i) {
    if (output == 0 && kept != rows.kept.end()) {
      end = std::copy(kept->begin(), kept->end(), end);
      ++kept;
    }
    end = fmt::format_to(end, FMT_COMPILE("{}"), rows.predictions[i]);
    output = output + 1 == rows.outputs ? 0 : output + 1;
    *end++ = output == 0 ? '\n' : '\t';
  }
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

std::string likeliest_lines(const PredictedLines& rows, const std::vector<std::string>& classes,
                            std::size_t top) {
  std::string text;
  std::vector<std::uint32_t> order(classes.size());
  for (std::size_t row = 0; row * rows.outputs < rows.predictions.size(); ++row) {
    const std::span<const float> chances = rows.predictions.subspan(row * rows.outputs, rows.outputs);
    const bool is_there = !std::isnan(chances.front());
    std::iota(order.begin(), order.end(), 0u);
    if (is_there) {
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end(),
                        [&](std::uint32_t a, std::uint32_t b) {
                          return chances[a] != chances[b] ? chances[a] > chances[b] : a < b;
                        });
    }
    if (!rows.kept.empty()) text += rows.kept[row];
    for (std::size_t i = 0; i < top; ++i) {
      if (i > 0) text += '\t';
      if (is_there) append_escaped(text, classes[order[i]]);
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("\t{}"), chances[order[i]]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace widehash::tools
