#include "made_codes.hpp"

#include <widehash/placed_rows.hpp>

#include <algorithm>
#include <string_view>

namespace widehash {
namespace {

std::vector<std::uint32_t> made_widths(const Schema& schema, const CodeLayout& layout) {
  std::vector<std::uint32_t> widths;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    if (layout.blocks[i].has_codes() && schema.features[i].makes_values())
      widths.push_back(layout.blocks[i].width);
  }
  return widths;
}

}  // namespace

MadeCodes::MadeCodes(const Schema& schema, const CodeLayout& layout)
    : seed_(schema.seed), reducer_(made_widths(schema, layout)) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!layout.blocks[i].has_codes()) continue;
    const Feature& feature = schema.features[i];
    const bool stands_in_row = !feature.is_cross() && feature.time_parts.empty();
    if (feature.makes_values()) made_.push_back({i, num_parts_, stands_in_row, ValueReader(schema, feature)});
    ++num_parts_;
  }
}

template <class Rows>
void MadeCodes::set_lanes(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                          MadeScratch& scratch) const {
  scratch.lanes.reshape(sources.size(), made_.size());
  scratch.values.clear();
  scratch.texts.clear();
  for (std::size_t row = 0; row < sources.size(); ++row) {
    for (std::size_t c = 0; c < made_.size(); ++c) {
      const MadeFeature& made = made_[c];
      const std::size_t lane = scratch.lanes.at(row, c);  // stays empty where a part is skipped
      if (made.stands_in_row) {
        scratch.lanes.set(
            lane, made.reader.normalised(rows.value(sources[row], binding.features[made.feature][0])));
        continue;
      }
      made.reader.for_each_value(rows, sources[row], binding.features[made.feature], scratch.value,
                                 [&](std::string_view value) {
                                   const std::size_t begin = scratch.texts.size();
                                   scratch.texts += value;
                                   scratch.values.push_back({lane, begin, scratch.texts.size()});
                                 });
    }
  }
  // The texts no longer move, so views of them stay valid from here on.
  const std::string_view texts = scratch.texts;
  for (const auto& value : scratch.values) {
    scratch.lanes.set(value.lane, texts.substr(value.begin, value.end - value.begin));
  }
}

template <class Rows>
void MadeCodes::encode(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                       MadeScratch& scratch, std::uint16_t* codes) const {
  if (made_.empty()) return;
  set_lanes(rows, sources, binding, scratch);
  HashLanes& lanes = scratch.lanes;
  lanes.hash_xxh64(seed_);
  const std::size_t made_stride = made_.size() * num_splits;
  scratch.codes.resize(sources.size() * made_stride);
  reducer_.reduce(lanes.hashes().data(), lanes.stride(), sources.size(), scratch.codes.data(), made_stride);
  const std::uint16_t* from = scratch.codes.data();
  for (std::size_t row = 0; row < sources.size(); ++row, codes += num_parts_ * num_splits) {
    for (std::size_t c = 0; c < made_.size(); ++c, from += num_splits) {
      std::uint16_t* const to = codes + made_[c].part * num_splits;
      if (made_[c].reader.skips_missing() && lanes.is_empty(lanes.at(row, c))) {
        std::fill_n(to, num_splits, absent_code);
      } else {
        std::copy_n(from, num_splits, to);
      }
    }
  }
}

template void MadeCodes::encode(const RowsView&, std::span<const std::size_t>, const FieldBinding&,
                                MadeScratch&, std::uint16_t*) const;
template void MadeCodes::encode(const PlacedRows&, std::span<const std::size_t>, const FieldBinding&,
                                MadeScratch&, std::uint16_t*) const;

}  // namespace widehash
