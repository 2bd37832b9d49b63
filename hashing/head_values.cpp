#include <widehash/internal/head_values.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace widehash {

std::vector<std::uint64_t> head_values(const LookupTable& table, const Feature& feature) {
  std::vector<std::uint64_t> rows;
  if (feature.encoding != Encoding::exact) return rows;
  const auto counts = table.counts();
  const bool takes_all = feature.max_values == 0 || feature.max_values >= counts.size();
  const std::uint64_t most = takes_all ? counts.size() + 1 : feature.max_values;
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
  if (rows.size() == most) {
    std::ranges::sort(rows, is_before);
    return rows;
  }
  // Rows are in order of the table, and most counts are small: they are put in order of their counts in one pass.
  constexpr std::uint64_t large = 1024;
  const auto group_of = [&](std::uint64_t row) { return large - std::min(counts[row], large); };
  std::vector<std::uint64_t> begins(large + 2, 0);
  for (const std::uint64_t row : rows) ++begins[group_of(row) + 1];
  for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  const auto num_large = static_cast<std::ptrdiff_t>(begins[1]);
  std::vector<std::uint64_t> ordered(rows.size());
  for (const std::uint64_t row : rows) ordered[begins[group_of(row)]++] = row;
  std::sort(ordered.begin(), ordered.begin() + num_large, is_before);
  return ordered;
}

}  // namespace widehash
