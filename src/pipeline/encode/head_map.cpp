#include "head_map.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/head_values.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace widehash {

HeadMap::HeadMap(const LookupTable& table, const Feature& feature) {
  const std::vector<std::uint64_t> rows = head_values(table, feature);
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
    const std::string_view value = table.entry(rows[column]).value;
    if (const Slot* const free = search(value, hash)) {
      slots_[static_cast<std::size_t>(free - slots_.data())] = {
          hash, column, static_cast<std::uint32_t>(value.size()), value.data()};
    } else {
      crowded_.emplace(std::pair(hash, value), column);
    }
  }
}

const HeadMap::Slot* HeadMap::search(std::string_view value, std::uint64_t hash) const noexcept {
  std::uint64_t at = hash & mask_;
  for (std::size_t searched = 0; searched < longest_search; ++searched, at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.column == empty) return &slot;
    if (slot.hash == hash && std::string_view(slot.text, slot.length) == value) return &slot;
  }
  return nullptr;
}

std::optional<std::uint32_t> HeadMap::find(std::string_view value, std::uint64_t hash) const noexcept {
  if (const Slot* const slot = search(value, hash)) {
    return slot->column == empty ? std::nullopt : std::optional(slot->column);
  }
  const auto found = crowded_.find({hash, value});
  return found == crowded_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace widehash
