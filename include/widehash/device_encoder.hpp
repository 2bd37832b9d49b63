#pragma once

/// \file
/// Columns in the memory of a CUDA device -> the codes of a batch, without leaving it: the same numbers that
/// Encoder gives for the same values on the CPU. For single-valued four_split and one_hot features of one
/// field, by XXH64; the rest needs tables or text and is encoded on the CPU.

#include <widehash/code_layout.hpp>
#include <widehash/device_codes.hpp>
#include <widehash/device_hash.hpp>
#include <widehash/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

class DeviceEncoder {
 public:
  /// Throws ConfigError naming a feature that a device does not encode, and why, and where the schema has
  /// `trim`.
  DeviceEncoder(const Schema& schema, const CodeLayout& layout);

  /// Features that are encoded, in schema order (`ignore` is not one): encode() wants a column for each.
  const std::vector<std::size_t>& features() const noexcept { return features_; }

  /// Bytes of device memory that encode() works in.
  std::size_t scratch_bytes(std::size_t num_rows) const noexcept;

  /// columns[j] holds the values of feature features()[j]. Writes every slot of `out`.
  /// Requires: scratch_bytes(num_rows) at `scratch`, aligned to 8; the device of out.stream is the current one.
  /// Throws ShapeError for another number of columns or too small a slot_stride, DeviceError as hash_column().
  /// Stream: asynchronous on out.stream.
  void encode(std::span<const DeviceColumn> columns, std::size_t num_rows, const DeviceCodes& out,
              void* scratch) const;

 private:
  std::vector<std::size_t> features_;
  std::vector<FeatureBlock> blocks_;  // of those
  std::uint32_t code_stride_ = 0;
  std::uint32_t wide_codes_ = 0;
  std::uint32_t column_stride_ = 0;
  std::uint64_t seed_ = 0;
  MissingTexts missing_;
};

}  // namespace widehash
