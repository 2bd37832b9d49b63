#include "code_slots.hpp"

#include "row_runs.hpp"

#include <widehash/internal/placed_codes.hpp>

#include <algorithm>
#include <cstring>

namespace widehash {
namespace {

// Values per step. At 24 bytes each, those of a step stay in the L1 cache beside their text and their codes.
constexpr std::size_t lanes_per_step = 512;
// 16-bit codes of placed rows that are packed together: they fit the L1 cache beside what they are made from.
constexpr std::size_t packed_words = 4096;

std::vector<std::uint32_t> widths_of(const CodeLayout& layout) {
  std::vector<std::uint32_t> widths;
  for (const FeatureBlock& block : layout.blocks) {
    if (block.has_codes()) widths.push_back(block.width);
  }
  return widths;
}

}  // namespace

CodeSlots::CodeSlots(const Schema& schema, const CodeLayout& layout)
    : missing_values_(schema.missing_values),
      missing_words_(schema.missing_values),
      seed_(schema.seed),
      reducer_(widths_of(layout)),
      made_(schema, layout),
      packer_(layout) {
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    if (!layout.blocks[i].has_codes()) continue;
    const Feature& feature = schema.features[i];
    const bool skips_missing = !feature.makes_values() && feature.missing == Missing::skip;
    parts_.push_back({i, feature.makes_values(), skips_missing});
    may_be_absent_ = may_be_absent_ || skips_missing;
  }
  static_assert(absent_code == 0xFFFF);
  if (may_be_absent_) {
    for (const Part& part : parts_) skipped_.push_back(part.skips_missing ? ~std::uint64_t{0} : 0);
  }
}

void CodeSlots::encode(const RowsView& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, CodeBatch& batch, std::size_t first_row,
                       CodeScratch& scratch) const {
  if (parts_.empty()) return;
  scratch.positions.clear();
  for (const Part& part : parts_) scratch.positions.push_back(binding.features[part.feature][0]);
  const bool in_place = reads_in_place(scratch.positions);
  const std::size_t hash_stride = whole_groups(parts_.size());
  const std::size_t rows_per_step = std::max<std::size_t>(lanes_per_step / hash_stride, 1);
  const std::size_t code_stride = parts_.size() * num_splits;
  for (std::size_t done = 0; done < sources.size(); done += rows_per_step) {
    const auto step = sources.subspan(done, std::min(rows_per_step, sources.size() - done));
    write_rows(batch, first_row + done, step.size(), scratch, [&](std::uint16_t* codes) {
      if (in_place) {
        if (may_be_absent_) find_absent(rows, step, scratch);
        hash_in_place(rows, step, scratch);
        reducer_.reduce(scratch.hashes.data(), hash_stride, step.size(), codes, code_stride);
        if (may_be_absent_) mark_absent(scratch.absent, codes);
      } else {
        set_lanes(rows, step, scratch);
        scratch.lanes.hash_xxh64(seed_);
        reducer_.reduce(scratch.lanes.hashes().data(), hash_stride, step.size(), codes, code_stride);
        if (may_be_absent_) mark_absent(scratch.lanes, step.size(), codes);
        made_.encode(rows, step, binding, scratch.made, codes);
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

bool CodeSlots::stand_side_by_side(std::span<const std::size_t> positions) const noexcept {
  for (std::size_t i = 1; i < positions.size(); ++i) {
    if (positions[i] != positions[0] + i) return false;
  }
  return made_.empty();
}

bool CodeSlots::reads_in_place(std::span<const std::size_t> positions) const noexcept {
  return missing_values_.empty() && stand_side_by_side(positions);
}

void CodeSlots::encode(const PlacedRows& rows, std::span<const std::size_t> sources,
                       const FieldBinding& binding, CodeBatch& batch, std::size_t first_row,
                       CodeScratch& scratch) const {
  if (parts_.empty()) return;
  std::vector<std::size_t>& positions = scratch.positions;
  positions.clear();
  for (const Part& part : parts_) {
    positions.push_back(part.is_made ? GatheredFields::no_field : binding.features[part.feature][0]);
  }
  const bool side_by_side = stand_side_by_side(positions);
  const std::size_t most_rows =
      packer_.packs() ? packed_words / (parts_.size() * num_splits) + 1 : sources.size();
  while (!sources.empty()) {
    const std::size_t num_rows =
        side_by_side ? run_length(sources, most_rows) : std::min(sources.size(), most_rows);
    const auto step = sources.first(num_rows);
    const PlacedFields fields = side_by_side
                                    ? rows.rows(step[0], num_rows).fields(positions[0], positions.size())
                                    : scratch.gathered.gather(rows, step, positions);
    write_rows(batch, first_row, num_rows, scratch, [&](std::uint16_t* codes) {
      encode_places(fields, seed_, missing_words_.words(), reducer_, codes, skipped_);
      made_.encode(rows, step, binding, scratch.made, codes);
    });
    first_row += num_rows;
    sources = sources.subspan(num_rows);
  }
}

void CodeSlots::hash_in_place(const RowsView& rows, std::span<const std::size_t> sources,
                              CodeScratch& scratch) const {
  const std::size_t hash_stride = whole_groups(parts_.size());
  scratch.hashes.resize(std::max(scratch.hashes.size(), sources.size() * hash_stride));
  // If no row between them was left out, all rows are hashed at once.
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
                          CodeScratch& scratch) const {
  HashLanes& lanes = scratch.lanes;
  lanes.reshape(sources.size(), parts_.size());
  for (std::size_t row = 0; row < sources.size(); ++row) {
    const std::string_view* const values = rows.values.data() + sources[row] * rows.num_fields;
    const std::size_t lane = lanes.at(row, 0);
    for (std::size_t i = 0; i < parts_.size(); ++i) lanes.set(lane + i, values[scratch.positions[i]]);
  }
  for (const std::string& text : missing_values_) lanes.blank(text);
}

/// Called before the text of the values is read, so that the views of all rows are fetched from memory at
/// once.
void CodeSlots::find_absent(const RowsView& rows, std::span<const std::size_t> sources,
                            CodeScratch& scratch) const {
  scratch.absent.resize(sources.size() * parts_.size());
  std::uint64_t* absent = scratch.absent.data();
  for (const std::size_t source : sources) {
    const std::string_view* const values =
        rows.values.data() + source * rows.num_fields + scratch.positions[0];
    // Without a branch, because no branch predictor guesses which values are missing.
    for (std::size_t i = 0; i < parts_.size(); ++i) *absent++ = values[i].empty() ? skipped_[i] : 0;
  }
}

void CodeSlots::mark_absent(std::span<const std::uint64_t> absent, std::uint16_t* codes) {
  for (const std::uint64_t word : absent) {
    std::uint64_t value_codes = 0;
    static_assert(sizeof value_codes == num_splits * sizeof *codes);
    std::memcpy(&value_codes, codes, sizeof value_codes);
    value_codes |= word;
    std::memcpy(codes, &value_codes, sizeof value_codes);
    codes += num_splits;
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
