#include "head_map.hpp"

#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>
#include <widehash/internal/head_values.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

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
  constexpr std::uint32_t ahead = 16;
  for (std::uint32_t column = 0; column < num_columns_; ++column) {
    if (num_columns_ - column > ahead) prefetch(table.hashes()[rows[column + ahead]]);
    const std::uint64_t hash = table.hashes()[rows[column]];
    const std::string_view value = table.entry(rows[column]).value;
    if (const Slot* const free = search(value, hash)) {
      slots_[static_cast<std::size_t>(free - slots_.data())] = {
          column, static_cast<std::uint32_t>(value.size()), words_of(value, hash)};
    } else {
      crowded_.emplace(std::pair(hash, value), column);
    }
  }
}

std::array<std::uint64_t, 2> HeadMap::words_of(std::string_view value, std::uint64_t hash) noexcept {
  std::array<std::uint64_t, 2> words{};
  const char* const text = value.data();
  const std::size_t length = value.size();
  if (length > inline_bytes) return {hash, std::bit_cast<std::uint64_t>(text)};
  if (length >= 8) {
    std::memcpy(&words[0], text, 8);
    std::memcpy(&words[1], text + length - 8, 8);
  } else if (length >= 4) {
    std::uint32_t parts[2];
    std::memcpy(&parts[0], text, 4);
    std::memcpy(&parts[1], text + length - 4, 4);
    words[0] = parts[0] | std::uint64_t{parts[1]} << 32;
  } else {
    for (std::size_t i = 0; i < length; ++i)
      words[0] |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  return words;
}

const HeadMap::Slot* HeadMap::search(std::string_view value, std::uint64_t hash) const noexcept {
  const std::array<std::uint64_t, 2> words = words_of(value, hash);
  const bool is_inline = value.size() <= inline_bytes;
  std::uint64_t at = hash & mask_;
  for (std::size_t searched = 0; searched < longest_search; ++searched, at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.column == empty) return &slot;
    if (slot.length != value.size() || slot.words[0] != words[0]) continue;
    if (is_inline ? slot.words[1] == words[1]
                  : std::string_view(std::bit_cast<const char*>(slot.words[1]), slot.length) == value)
      return &slot;
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
