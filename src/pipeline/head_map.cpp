#include "head_map.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace widehash {
namespace {

std::vector<std::uint64_t> head_rows(const LookupTable& table, const Feature& feature) {
  const auto counts = table.counts();
  std::vector<std::uint64_t> rows;
  for (std::uint64_t row = 0; row < counts.size(); ++row) {
    if (counts[row] >= feature.min_count) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::uint64_t a, std::uint64_t b) { return counts[a] > counts[b]; });
  if (feature.max_values != 0 && rows.size() > feature.max_values) rows.resize(feature.max_values);
  return rows;
}

}  // namespace

HeadMap::HeadMap(const LookupTable& table, const Feature& feature) : table_(&table) {
  const std::vector<std::uint64_t> rows = head_rows(table, feature);
  if (rows.size() > max_columns) {
    throw ConfigError(
        fmt::format("feature '{}': {} values are too many for a column each; set max_values or min_count",
                    feature.name, rows.size()));
  }
  num_columns_ = static_cast<std::uint32_t>(rows.size());
  slots_.resize(std::bit_ceil(rows.size() * 2 + 1));  // at most half full: short probes
  mask_ = slots_.size() - 1;
  for (std::uint32_t column = 0; column < num_columns_; ++column) {
    const std::uint64_t hash = table.hashes()[rows[column]];
    std::uint64_t at = hash & mask_;
    while (slots_[at].column != empty) at = (at + 1) & mask_;
    slots_[at] = {hash, column, 0, rows[column]};
  }
}

std::optional<std::uint32_t> HeadMap::find(std::string_view value, std::uint64_t hash) const noexcept {
  for (std::uint64_t at = hash & mask_; slots_[at].column != empty; at = (at + 1) & mask_) {
    if (slots_[at].hash == hash && table_->entry(slots_[at].row).value == value) return slots_[at].column;
  }
  return std::nullopt;
}

}  // namespace widehash
