#include <widehash/internal/head_values.hpp>

#include <algorithm>

namespace widehash {

std::vector<std::uint64_t> head_values(const LookupTable& table, const Feature& feature) {
  std::vector<std::uint64_t> rows;
  if (feature.encoding != Encoding::exact) return rows;
  const auto counts = table.counts();
  for (std::uint64_t row = 0; row < counts.size(); ++row) {
    if (counts[row] >= feature.min_count) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return counts[a] > counts[b]; });
  if (feature.max_values != 0 && rows.size() > feature.max_values) rows.resize(feature.max_values);
  return rows;
}

}  // namespace widehash
