#pragma once

/// \file
/// Reduces hashes to slots on a device: what DeviceEncoder needs from the kernels.

#include <widehash/device_encoder.hpp>
#include <widehash/internal/bucket_reducer.hpp>

namespace widehash::detail {

/// Features of one launch, which a kernel takes by value.
inline constexpr std::size_t features_per_launch = 32;

/// Where one feature's hashes go.
struct SlotTarget {
  const std::uint64_t* hashes = nullptr;
  const std::uint8_t* is_missing = nullptr;  // null: nothing is skipped
  std::uint32_t width = 0;                   // m of four_split
  std::uint32_t slot = 0;
  bool is_one_hot = false;
  SlotKind kind = SlotKind::columns;  // codes or byte_codes otherwise
  BucketRemainder remainder{1};       // of one_hot: made on the host, as a device divides 128 bits in a loop
};

struct SlotTargets {
  SlotTarget targets[features_per_launch];
  std::uint32_t count = 0;
};

/// The rows to write, as CodeLayout lays them out.
struct SlotRows {
  std::size_t num_rows = 0;
  std::uint32_t code_stride = 0;
  std::uint32_t wide_codes = 0;
  std::uint32_t column_stride = 0;
};

void reduce_to_slots(const SlotTargets& targets, const SlotRows& rows, const DeviceCodes& out);

}  // namespace widehash::detail
