#pragma once

/// \file
/// Encodes columns in the memory of a CUDA device into the codes of a batch, without leaving the device. The
/// codes equal those that Encoder gives for the same values on the CPU. Supports single-valued four_split and
/// one_hot features of one field, with XXH64. Everything else needs tables or text and is encoded on the CPU.

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
  /// Throws ConfigError if the device cannot encode a feature, naming it and the reason, or if the schema has
  /// `trim`.
  DeviceEncoder(const Schema& schema, const CodeLayout& layout);

  /// The features that are encoded, in schema order, without `ignore` features. encode() needs one column for
  /// each.
  const std::vector<std::size_t>& features() const noexcept { return features_; }

  /// Bytes of device memory that encode() uses as scratch.
  std::size_t scratch_bytes(std::size_t num_rows) const noexcept;

  /// Encodes columns; columns[j] holds the values of feature features()[j]. Writes every slot of `out`.
  /// Requires scratch_bytes(num_rows) bytes at `scratch`, aligned to 8, and the device of out.stream to be
  /// the current one. Throws ShapeError if the number of columns is wrong or slot_stride too small, and
  /// DeviceError like hash_column(). Stream: asynchronous on out.stream.
  void encode(std::span<const DeviceColumn> columns, std::size_t num_rows, const DeviceCodes& out,
              void* scratch) const;

 private:
  std::vector<std::size_t> features_;
  std::vector<FeatureBlock> blocks_;  // of features_
  std::uint32_t code_stride_ = 0;
  std::uint32_t wide_codes_ = 0;
  std::uint32_t column_stride_ = 0;
  std::uint64_t seed_ = 0;
  MissingTexts missing_;
};

}  // namespace widehash
