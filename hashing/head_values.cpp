#include <widehash/internal/head_values.hpp>

#include <algorithm>

namespace widehash {

std::vector<std::uint64_t> head_values(const LookupTable& table, const Feature& feature) {
  std::vector<std::uint64_t> rows;
  if (feature.encoding != Encoding::exact) return rows;
  const auto counts = table.counts();
  const std::uint64_t most = feature.max_values == 0 ? counts.size() : feature.max_values;
  const auto is_before = [&](std::uint64_t a, std::uint64_t b) {
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  };
  // A table of a billion values may have a head of a thousand, so no more than `most` rows are kept. They
  // form a heap with the last of them, in order, at the front.
  for (std::uint64_t row = 0; row < counts.size(); ++row) {
    if (counts[row] < feature.min_count) continue;
    if (rows.size() < most) {
      rows.push_back(row);
      if (rows.size() == most) std::ranges::make_heap(rows, is_before);
    } else if (is_before(row, rows.front())) {
      std::ranges::pop_heap(rows, is_before);
      rows.back() = row;
      std::ranges::push_heap(rows, is_before);
    }
  }
  std::ranges::sort(rows, is_before);
  return rows;
}

}  // namespace widehash
