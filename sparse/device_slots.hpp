#pragma once

/// \file
/// From hashes to slots on a device: what DeviceEncoder asks of the kernels.

#include <widehash/device_encoder.hpp>

namespace widehash::detail {

/// Features of one launch: what a kernel takes by value.
inline constexpr std::size_t features_per_launch = 32;

/// Where one feature's hashes go.
struct SlotTarget {
  const std::uint64_t* hashes = nullptr;
  const std::uint8_t* is_missing = nullptr;  // null: nothing is skipped
  std::uint32_t width = 0;                   // m, or B of one_hot
  std::uint32_t slot = 0;
  bool is_one_hot = false;
  bool is_code = false;  // to codes; otherwise to columns
};

struct SlotTargets {
  SlotTarget targets[features_per_launch];
  std::uint32_t count = 0;
};

void reduce_to_slots(const SlotTargets& targets, std::size_t num_rows, std::uint32_t code_stride,
                     std::uint32_t column_stride, const DeviceCodes& out, CUstream_st* stream);

}  // namespace widehash::detail
