#include "cross_codes.hpp"

#include <widehash/placed_rows.hpp>

#include <algorithm>
#include <string_view>

namespace widehash {
namespace {

std::vector<std::uint32_t> cross_widths(const Schema& schema, const CodeLayout& layout) {
  std::vector<std::uint32_t> widths;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    if (layout.blocks[i].has_codes() && schema.features[i].is_cross())
      widths.push_back(layout.blocks[i].width);
  }
  return widths;
}

}  // namespace

CrossCodes::CrossCodes(const Schema& schema, const CodeLayout& layout)
    : seed_(schema.seed), reducer_(cross_widths(schema, layout)) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!layout.blocks[i].has_codes()) continue;
    const Feature& feature = schema.features[i];
    if (feature.is_cross()) crosses_.push_back({i, num_parts_, ValueReader(schema, feature)});
    ++num_parts_;
  }
}

template <class Rows>
void CrossCodes::set_lanes(const Rows& rows, std::span<const std::size_t> sources,
                           const FieldBinding& binding, CrossScratch& scratch) const {
  scratch.lanes.reshape(sources.size(), crosses_.size());
  scratch.values.clear();
  scratch.texts.clear();
  for (std::size_t row = 0; row < sources.size(); ++row) {
    for (std::size_t c = 0; c < crosses_.size(); ++c) {
      const Cross& cross = crosses_[c];
      const std::size_t lane = scratch.lanes.at(row, c);  // stays empty where a part is skipped
      cross.reader.for_each_value(rows, sources[row], binding.features[cross.feature], scratch.value,
                                  [&](std::string_view value) {
                                    const std::size_t begin = scratch.texts.size();
                                    scratch.texts += value;
                                    scratch.values.push_back({lane, begin, scratch.texts.size()});
                                  });
    }
  }
  // Only now do the texts stay where they are.
  const std::string_view texts = scratch.texts;
  for (const auto& value : scratch.values) {
    scratch.lanes.set(value.lane, texts.substr(value.begin, value.end - value.begin));
  }
}

template <class Rows>
void CrossCodes::encode(const Rows& rows, std::span<const std::size_t> sources, const FieldBinding& binding,
                        CrossScratch& scratch, std::uint16_t* codes) const {
  if (crosses_.empty()) return;
  set_lanes(rows, sources, binding, scratch);
  HashLanes& lanes = scratch.lanes;
  lanes.hash_xxh64(seed_);
  const std::size_t cross_stride = crosses_.size() * num_splits;
  scratch.codes.resize(sources.size() * cross_stride);
  reducer_.reduce(lanes.hashes().data(), lanes.stride(), sources.size(), scratch.codes.data(), cross_stride);
  const std::uint16_t* from = scratch.codes.data();
  for (std::size_t row = 0; row < sources.size(); ++row, codes += num_parts_ * num_splits) {
    for (std::size_t c = 0; c < crosses_.size(); ++c, from += num_splits) {
      std::uint16_t* const to = codes + crosses_[c].part * num_splits;
      if (crosses_[c].reader.skips_missing() && lanes.is_empty(lanes.at(row, c))) {
        std::fill_n(to, num_splits, absent_code);
      } else {
        std::copy_n(from, num_splits, to);
      }
    }
  }
}

template void CrossCodes::encode(const RowsView&, std::span<const std::size_t>, const FieldBinding&,
                                 CrossScratch&, std::uint16_t*) const;
template void CrossCodes::encode(const PlacedRows&, std::span<const std::size_t>, const FieldBinding&,
                                 CrossScratch&, std::uint16_t*) const;

}  // namespace widehash
