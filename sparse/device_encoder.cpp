#include "device_slots.hpp"

#include <widehash/device_encoder.hpp>
#include <widehash/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace widehash {
namespace {

/// Returns why a device cannot encode a feature; null if it can.
const char* obstacle(const Feature& feature, const FeatureBlock& block) {
  if (feature.is_cross()) return "it is a cross";
  if (!feature.time_parts.empty()) return "it is part of a time";
  if (feature.missing_values) return "it has missing_values of its own";
  if (block.slot_kind == SlotKind::ragged) return "its rows set a varying number of columns";
  if (feature.encoding == Encoding::numeric) return "it is numeric";
  return nullptr;
}

}  // namespace

DeviceEncoder::DeviceEncoder(const Schema& schema, const CodeLayout& layout)
    : code_stride_(layout.code_stride),
      wide_codes_(layout.wide_codes),
      column_stride_(layout.column_stride),
      seed_(schema.seed),
      missing_(schema.missing_values) {
  if (schema.hash != HashKind::xxh64) {
    throw ConfigError(fmt::format("hash = \"{}\": devices hash with xxh64 only; encode on the CPU",
                                  to_string(schema.hash)));
  }
  if (schema.trim) throw ConfigError("trim = true: devices hash values as they are; encode on the CPU");
  if (schema.features.size() != layout.blocks.size()) {
    throw ShapeError(
        fmt::format("{} features and {} blocks of a layout", schema.features.size(), layout.blocks.size()));
  }
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const FeatureBlock& block = layout.blocks[i];
    if (block.slot_kind == SlotKind::none) continue;
    if (const char* const why = obstacle(schema.features[i], block)) {
      throw ConfigError(
          fmt::format("feature '{}' is not encoded on a device: {}; encode on the CPU", block.name, why));
    }
    features_.push_back(i);
    blocks_.push_back(block);
  }
}

std::size_t DeviceEncoder::scratch_bytes(std::size_t num_rows) const noexcept {
  const std::size_t at_once = std::min(features_.size(), detail::features_per_launch);
  return at_once * num_rows * (sizeof(std::uint64_t) + sizeof(std::uint8_t));
}

void DeviceEncoder::encode(std::span<const DeviceColumn> columns, std::size_t num_rows,
                           const DeviceCodes& out, void* scratch) const {
  if (columns.size() != features_.size()) {
    throw ShapeError(fmt::format("{} columns for {} features", columns.size(), features_.size()));
  }
  if (out.slot_stride != 0 && out.slot_stride < num_rows) {
    throw ShapeError(fmt::format("{} rows with {} places per slot", num_rows, out.slot_stride));
  }
  const std::size_t at_once = std::min(features_.size(), detail::features_per_launch);
  auto* const hashes = static_cast<std::uint64_t*>(scratch);
  auto* const is_missing = reinterpret_cast<std::uint8_t*>(hashes + at_once * num_rows);
  for (std::size_t first = 0; first < columns.size(); first += at_once) {
    detail::SlotTargets targets;
    std::vector<DeviceHashes> hashed;
    for (std::size_t j = first; j < std::min(first + at_once, columns.size()); ++j) {
      const FeatureBlock& block = blocks_[j];
      const std::size_t place = (j - first) * num_rows;
      std::uint8_t* const missing_here = block.may_be_absent ? is_missing + place : nullptr;
      hashed.push_back({columns[j], hashes + place, missing_here});
      detail::SlotTarget& target = targets.targets[targets.count++];
      target.hashes = hashes + place;
      target.is_missing = missing_here;
      target.width = block.width;
      target.slot = block.slot;
      target.kind = block.slot_kind;
      target.is_one_hot = block.encoding == Encoding::one_hot;
      if (target.is_one_hot) target.remainder = BucketRemainder(block.buckets);
    }
    hash_columns(hashed, num_rows, seed_, missing_, out.stream);
    detail::reduce_to_slots(targets, {num_rows, code_stride_, wide_codes_, column_stride_}, out);
  }
}

}  // namespace widehash
