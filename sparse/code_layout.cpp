#include <widehash/code_layout.hpp>
#include <widehash/error.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace widehash {
namespace {

// Widths and bucket counts come from a file; their sum must not wrap around before it is found to be too
// large.
std::uint64_t add_saturating(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

std::uint64_t one_hot_columns(const Feature& feature) {
  return feature.buckets != 0 ? feature.buckets
                              : num_splits * std::uint64_t{split_width(feature.cardinality)};
}

// Boundaries cut the line into one more interval than there are boundaries; the last column stands for
// missing.
std::uint64_t bucketize_columns(const Feature& feature) { return feature.boundaries.size() + 2; }

std::uint64_t columns_of(const Feature& feature, std::uint32_t head_columns) {
  switch (feature.encoding) {
    case Encoding::four_split:
      return num_splits * std::uint64_t{split_width(feature.cardinality)};
    case Encoding::one_hot:
      return one_hot_columns(feature);
    case Encoding::exact:
      return head_columns + num_splits * std::uint64_t{split_width(feature.cardinality)};
    case Encoding::numeric:
      return feature.transform == NumericTransform::bucketize ? bucketize_columns(feature) : 1;
    case Encoding::ignore:
      return 0;
  }
  return 0;
}

// A bucket must fit into the available bits, and must not be the largest number where that means absent.
bool fits(std::uint32_t width, std::uint32_t absent, bool may_be_absent) noexcept {
  return width <= absent + (may_be_absent ? 0 : 1);
}

SlotKind slot_kind_of_codes(std::uint32_t width, bool may_be_absent, CodeBytes code_bytes) noexcept {
  if (code_bytes != CodeBytes::two && fits(width, absent_byte_code, may_be_absent)) {
    return SlotKind::byte_codes;
  }
  return fits(width, absent_code, may_be_absent) ? SlotKind::codes : SlotKind::columns;
}

SlotKind slot_kind_of(const Feature& feature, std::uint32_t width, CodeBytes code_bytes) {
  const bool multi_valued = !feature.separator.empty();
  const bool skips = feature.missing == Missing::skip;
  switch (feature.encoding) {
    case Encoding::ignore:
      return SlotKind::none;
    case Encoding::exact:
      return SlotKind::ragged;
    case Encoding::numeric:
      return feature.transform == NumericTransform::bucketize ? SlotKind::columns : SlotKind::numbers;
    case Encoding::one_hot:
      return multi_valued ? SlotKind::ragged : SlotKind::columns;
    case Encoding::four_split:
      return multi_valued ? SlotKind::ragged : slot_kind_of_codes(width, skips, code_bytes);
  }
  return SlotKind::none;
}

void check_columns(const Schema& schema, const std::vector<std::uint64_t>& columns) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : columns) total = add_saturating(total, count);
  if (total <= max_columns) return;
  std::vector<std::size_t> order(columns.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return columns[a] > columns[b]; });
  std::string heaviest;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i) {
    heaviest +=
        fmt::format("{}'{}' {}", i == 0 ? "" : ", ", schema.features[order[i]].name, columns[order[i]]);
  }
  throw ConfigError(
      fmt::format("the features take {} columns together, but a matrix has at most {}; lower cardinality or "
                  "buckets of the largest: {}",
                  total, max_columns, heaviest));
}

// Assigns `block` its slots at the end of the row.
void place(FeatureBlock& block, CodeLayout& layout) {
  const auto take = [&](std::uint32_t& slots_of_kind, std::uint32_t count) {
    block.slot = slots_of_kind;
    block.num_slots = count;
    slots_of_kind += count;
  };
  switch (block.slot_kind) {
    case SlotKind::none:
      break;
    case SlotKind::codes:
      take(layout.wide_codes, num_splits);
      break;
    case SlotKind::byte_codes:
      take(layout.byte_codes, num_splits);
      break;
    case SlotKind::columns:
      take(layout.column_stride, block.encoding == Encoding::four_split ? num_splits : 1);
      break;
    case SlotKind::numbers:
      take(layout.number_stride, 1);
      break;
    case SlotKind::ragged:
      layout.has_ragged = true;
      break;
  }
}

auto meaning(const FeatureBlock& b) {
  return std::tie(b.name, b.encoding, b.slot_kind, b.slot, b.num_slots, b.width, b.buckets, b.head_columns,
                  b.column_offset, b.num_columns, b.may_be_absent);
}

}  // namespace

std::size_t CodeLayout::fixed_row_bytes() const noexcept {
  const std::size_t floats = std::size_t{number_stride} + (has_targets ? 1 : 0) + (has_weights ? 1 : 0);
  return code_stride * sizeof(std::uint16_t) + column_stride * sizeof(std::uint32_t) + floats * sizeof(float);
}

CodeLayout make_layout(const Schema& schema, const std::vector<std::uint32_t>& head_columns,
                       CodeBytes code_bytes, std::string tables_fingerprint) {
  if (!head_columns.empty() && head_columns.size() != schema.features.size()) {
    throw ShapeError(fmt::format("{} head sizes are given for {} features; give one per feature, or none",
                                 head_columns.size(), schema.features.size()));
  }
  const auto head_of = [&](std::size_t i) { return head_columns.empty() ? 0 : head_columns[i]; };
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    columns.push_back(columns_of(schema.features[i], head_of(i)));
  }
  check_columns(schema, columns);

  CodeLayout layout;
  layout.fingerprint = {schema.fingerprint(), std::move(tables_fingerprint)};
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    const Feature& feature = schema.features[i];
    FeatureBlock block;
    block.name = feature.name;
    block.encoding = feature.encoding;
    block.column_offset = layout.num_columns;
    block.num_columns = columns[i];
    if (feature.encoding == Encoding::four_split || feature.encoding == Encoding::exact) {
      block.width = split_width(feature.cardinality);
    }
    if (feature.encoding == Encoding::exact) block.head_columns = head_of(i);
    block.slot_kind = slot_kind_of(feature, block.width, code_bytes);
    const bool local_columns =
        feature.encoding == Encoding::one_hot ||
        (feature.encoding == Encoding::numeric && feature.transform == NumericTransform::bucketize);
    if (local_columns) block.buckets = static_cast<std::uint32_t>(columns[i]);
    block.may_be_absent =
        feature.missing == Missing::skip && (block.has_codes() || block.slot_kind == SlotKind::columns);
    if (block.slot_kind == SlotKind::ragged) layout.ragged_blocks.push_back(static_cast<std::uint32_t>(i));
    place(block, layout);
    layout.may_be_absent = layout.may_be_absent || block.may_be_absent;
    layout.num_columns += block.num_columns;
    layout.blocks.push_back(std::move(block));
  }
  layout.code_stride = layout.wide_codes + layout.byte_codes / 2;
  const bool packs = code_bytes == CodeBytes::least_in_runs && !layout.has_ragged;
  layout.code_bytes = packs ? CodeBytes::least : code_bytes;
  layout.has_weights = !schema.weight.empty();
  layout.has_targets = !schema.label.field.empty();
  if (layout.has_targets && schema.label.kind == LabelKind::classes) {
    layout.num_classes = static_cast<std::uint32_t>(schema.label.classes.size());
  }
  return layout;
}

bool same_layout(const CodeLayout& a, const CodeLayout& b) noexcept {
  if (&a == &b) return true;
  // Strides, offsets and totals follow from the blocks.
  return std::equal(a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
                    [](const FeatureBlock& x, const FeatureBlock& y) { return meaning(x) == meaning(y); }) &&
         a.has_weights == b.has_weights && a.has_targets == b.has_targets && a.num_classes == b.num_classes &&
         a.fingerprint == b.fingerprint;
}

}  // namespace widehash
