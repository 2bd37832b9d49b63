#include "code_slots.hpp"

#include <widehash/placed_codes.hpp>

#include <algorithm>

namespace widehash {
namespace {

// Values of a step: 24 bytes each, so that a step's stay in the first cache beside its text and its codes.
constexpr std::size_t lanes_per_step = 512;
// Rows of places that are packed together: their codes of 16 bits fit the first cache beside what they are
// made from.
constexpr std::size_t packed_words = 4096;

std::vector<std::uint32_t> widths_of_code_slots(const CodeLayout& layout) {
  std::vector<std::uint32_t> widths;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.has_codes()) widths.push_back(block.width);
  }
  return widths;
}

}  // namespace

CodeSlots::CodeSlots(const Schema& schema, const CodeLayout& layout)
    : missing_values_(schema.missing_values),
      seed_(schema.seed),
      reducer_(widths_of_code_slots(layout)),
      packer_(layout) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!layout.blocks[i].has_codes()) continue;
    const Feature& feature = schema.features[i];
    ValueReader reader(schema, feature);
    parts_.push_back({i, feature.is_cross(), reader.skips_missing(), reader});
    has_crosses_ = has_crosses_ || parts_.back().is_cross;
    may_be_absent_ = may_be_absent_ || parts_.back().skips_missing;
  }
}

void CodeSlots::encode(const RowsView& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, CodeBatch& batch, std::size_t first_row,
                       CodeScratch& scratch) const {
  if (parts_.empty()) return;
  // A cross has no value of its own in the row; its lane is set afterwards.
  scratch.positions.clear();
  for (const Part& part : parts_) scratch.positions.push_back(binding.features[part.feature][0]);
  const bool in_place = reads_in_place(binding);
  const std::size_t hash_stride = whole_groups(parts_.size());
  const std::size_t rows_per_step = std::max<std::size_t>(lanes_per_step / hash_stride, 1);
  const std::size_t code_stride = parts_.size() * num_splits;
  for (std::size_t done = 0; done < sources.size(); done += rows_per_step) {
    const auto step = sources.subspan(done, std::min(rows_per_step, sources.size() - done));
    write_rows(batch, first_row + done, step.size(), scratch, [&](std::uint16_t* codes) {
      if (in_place) {
        hash_in_place(rows, step, scratch);
        reducer_.reduce(scratch.hashes.data(), hash_stride, step.size(), codes, code_stride);
      } else {
        set_lanes(rows, step, binding, scratch);
        scratch.lanes.hash_xxh64(seed_);
        reducer_.reduce(scratch.lanes.hashes().data(), hash_stride, step.size(), codes, code_stride);
        if (may_be_absent_) mark_absent(scratch.lanes, step.size(), codes);
      }
    });
  }
}

template <class Fill>
void CodeSlots::write_rows(CodeBatch& batch, std::size_t first_row, std::size_t num_rows,
                           CodeScratch& scratch, const Fill& fill) const {
  std::uint16_t* const rows = batch.codes.data() + first_row * batch.layout().code_stride;
  if (!packer_.packs()) return fill(rows);
  const std::size_t words = num_rows * parts_.size() * num_splits + CodePacker::slack_words;
  if (scratch.codes.size() < words) scratch.codes.resize(words);
  fill(scratch.codes.data());
  packer_.pack(scratch.codes.data(), num_rows, rows);
}

bool CodeSlots::reads_in_place(const FieldBinding& binding) const noexcept {
  if (parts_.empty() || has_crosses_ || may_be_absent_ || !missing_values_.empty()) return false;
  const auto field_of = [&](std::size_t part) { return binding.features[parts_[part].feature][0]; };
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (field_of(i) != field_of(0) + i) return false;
  }
  return true;
}

void CodeSlots::encode(const PlacedRows& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, CodeBatch& batch, std::size_t first_row,
                       CodeScratch& scratch) const {
  const std::size_t first_field = binding.features[parts_.front().feature][0];
  const std::size_t most_rows = packer_.packs() ? packed_words / (parts_.size() * num_splits) + 1
                                                : std::max<std::size_t>(sources.size(), 1);
  for (std::size_t i = 0; i < sources.size();) {
    // Rows that none was left out between go together.
    std::size_t end = i + 1;
    while (end < sources.size() && end - i < most_rows && sources[end] == sources[end - 1] + 1) ++end;
    write_rows(batch, first_row + i, end - i, scratch, [&](std::uint16_t* codes) {
      encode_places(rows.rows(sources[i], end - i), first_field, seed_, reducer_, codes);
    });
    i = end;
  }
}

void CodeSlots::hash_in_place(const RowsView& rows, std::span<const std::size_t> sources,
                              CodeScratch& scratch) const {
  const std::size_t hash_stride = whole_groups(parts_.size());
  scratch.hashes.resize(std::max(scratch.hashes.size(), sources.size() * hash_stride));
  // Where no row between them was left out, all rows go at once.
  const bool no_gaps = sources.back() - sources.front() == sources.size() - 1;
  const std::size_t at_once = no_gaps ? sources.size() : 1;
  for (std::size_t row = 0; row < sources.size(); row += at_once) {
    const ValueRows values{
        .values = rows.values.data() + sources[row] * rows.num_fields + scratch.positions[0],
        .stride = rows.num_fields,
        .num_rows = at_once,
        .values_per_row = parts_.size()};
    hash_xxh64(values, seed_, std::span(scratch.hashes).subspan(row * hash_stride), hash_stride);
  }
}

void CodeSlots::set_lanes(const RowsView& rows, std::span<const std::size_t> sources,
                          const FieldBinding& binding, CodeScratch& scratch) const {
  HashLanes& lanes = scratch.lanes;
  lanes.reshape(sources.size(), parts_.size());
  for (std::size_t row = 0; row < sources.size(); ++row) {
    const std::string_view* const values = rows.values.data() + sources[row] * rows.num_fields;
    const std::size_t lane = lanes.at(row, 0);
    for (std::size_t i = 0; i < parts_.size(); ++i) lanes.set(lane + i, values[scratch.positions[i]]);
  }
  for (const std::string& text : missing_values_) lanes.blank(text);
  if (has_crosses_) set_crosses(rows, sources, binding, scratch);
}

void CodeSlots::set_crosses(const RowsView& rows, std::span<const std::size_t> sources,
                            const FieldBinding& binding, CodeScratch& scratch) const {
  scratch.crosses.clear();
  scratch.cross_texts.clear();
  for (std::size_t row = 0; row < sources.size(); ++row) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i].is_cross) continue;
      const std::size_t lane = scratch.lanes.at(row, i);
      scratch.lanes.set(lane, {});  // stays where a part is skipped
      parts_[i].reader.for_each_value(rows, sources[row], binding.features[parts_[i].feature], scratch.cross,
                                      [&](std::string_view value) {
                                        const std::size_t begin = scratch.cross_texts.size();
                                        scratch.cross_texts += value;
                                        scratch.crosses.push_back({lane, begin, scratch.cross_texts.size()});
                                      });
    }
  }
  // Only now do the texts stay where they are.
  const std::string_view texts = scratch.cross_texts;
  for (const auto& cross : scratch.crosses) {
    scratch.lanes.set(cross.lane, texts.substr(cross.begin, cross.end - cross.begin));
  }
}

void CodeSlots::mark_absent(const HashLanes& lanes, std::size_t num_rows, std::uint16_t* codes) const {
  const std::size_t stride = parts_.size() * num_splits;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].skips_missing) continue;
    for (std::size_t row = 0; row < num_rows; ++row) {
      if (lanes.is_empty(lanes.at(row, i))) {
        std::fill_n(codes + row * stride + i * num_splits, num_splits, absent_code);
      }
    }
  }
}

}  // namespace widehash
