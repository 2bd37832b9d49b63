#include "dictionary_codes.hpp"

#include <widehash/column_table.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace widehash {
namespace {

/// An encoder of the one feature alone, with the same buckets.
Encoder encoder_of(const Encoder& encoder, std::size_t feature, Schema schema) {
  schema.features = {encoder.schema().features[feature]};
  return Encoder(std::move(schema), std::string(), encoder.code_bytes());
}

}  // namespace

Schema DictionaryCodes::settings_of(const Encoder& encoder) {
  Schema settings = encoder.schema();
  settings.features.clear();
  settings.label = {};
  settings.weight.clear();
  settings.fields.clear();
  settings.header = true;
  return settings;
}

bool DictionaryCodes::pays(const Encoder& encoder, std::size_t feature, const ValueColumn& column) {
  const std::size_t num_values = column.dictionary().size();
  const Feature& taken = encoder.schema().features[feature];
  return num_values > 0 && num_values < column.num_rows() / 2 &&
         encoder.layout()->blocks[feature].has_codes() && !taken.is_cross() && taken.time_parts.empty();
}

DictionaryCodes::DictionaryCodes(const Encoder& encoder, std::size_t feature, const ValueColumn& column,
                                 const Schema& settings)
    : column_(column) {
  const CodeLayout& layout = *encoder.layout();
  const FeatureBlock& block = layout.blocks[feature];
  const bool is_wide = block.slot_kind == SlotKind::codes;
  // Byte codes follow the wide ones, two per word.
  word_ = is_wide ? block.slot : layout.wide_codes + block.slot / 2;
  words_ = is_wide ? block.num_slots : block.num_slots / 2;

  const auto texts = column.dictionary();
  std::vector<std::string_view> values(texts.begin(), texts.end());
  values.emplace_back();  // the missing value
  const Encoder alone = encoder_of(encoder, feature, settings);
  ColumnTable table;
  table.add(alone.field_names().front(), text_column(values));
  const CodeBatch batch = alone.encode(table);
  const std::size_t stride = batch.layout().code_stride;
  codes_.resize(values.size() * words_);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::copy_n(batch.codes.data() + i * stride, words_, codes_.data() + i * words_);
  }
}

void DictionaryCodes::fill(std::size_t begin, std::span<const std::size_t> rows, CodeBatch& tile,
                           std::vector<std::uint32_t>& indices) const {
  if (rows.empty()) return;
  indices.resize(rows.back() + 1);
  column_.read_indices(begin, indices.size(), indices.data());
  const std::size_t stride = tile.layout().code_stride;
  std::uint16_t* to = tile.codes.data() + word_;
  // With a count known at compile time a copy is a load and a store.
  const auto copy = [&]<std::size_t words>() {
    for (const std::size_t row : rows) {
      std::copy_n(codes_.data() + indices[row] * words, words, to);
      to += stride;
    }
  };
  words_ == num_splits ? copy.template operator()<num_splits>() : copy.template operator()<num_splits / 2>();
}

}  // namespace widehash
