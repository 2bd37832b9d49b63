#pragma once

/// \file
/// Hashes values in the memory of a CUDA device, bit for bit like hash_xxh64(), for jobs whose tables are on
/// the device already. Columns have the layout of Arrow and similar libraries:
///
///     text        bytes  "redgreenblue"   offsets [0, 3, 8, 12]      value i is bytes[offsets[i] .. offsets[i + 1])
///     fixed_text  bytes  "aabbcc"         value_bytes 2              value i is bytes[2 i .. 2 i + 2)
///     int32 ...   numbers                 hashed as their canonical text, "-7", which is never stored anywhere
///
/// See docs/gpu.md, "Hashing on the device".

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

struct CUstream_st;  // what a cudaStream_t points to

namespace widehash {

enum class DeviceValues : std::uint8_t { text, fixed_text, int32, uint32, int64, uint64 };

/// A column in device memory, owned elsewhere. Trivially copyable.
struct DeviceColumn {
  DeviceValues kind = DeviceValues::text;
  /// The bytes of the texts, at any address, or the numbers, with their natural alignment.
  const void* values = nullptr;
  /// text and fixed_text: the number of bytes. Nothing outside them is read.
  std::uint64_t num_bytes = 0;
  /// text: num_rows + 1 positions. Requires that they ascend and that the last is at most num_bytes.
  const std::uint64_t* offsets = nullptr;
  /// fixed_text: the number of bytes per value.
  std::uint32_t value_bytes = 0;
  /// Bit i % 8 of byte i / 8 is set if value i is present; null: all values are.
  const std::uint8_t* valid = nullptr;
};

/// Texts that mean a missing value, in addition to the empty text: up to 4 of up to 16 bytes each.
struct MissingTexts {
  static constexpr std::size_t max_texts = 4;
  static constexpr std::size_t max_bytes = 16;

  MissingTexts() = default;
  /// Throws ConfigError if there are more texts or longer ones.
  explicit MissingTexts(std::span<const std::string> texts);

  std::uint32_t count = 0;
  std::uint32_t lengths[max_texts] = {};
  std::uint64_t words[max_texts][2] = {};  // low byte first, padded with 0
};

/// hashes[i] = XXH64 of value i of the column, or of the empty text if the value is missing: not valid,
/// empty, or one of `missing`. is_missing[i], unless `is_missing` is null, is 1 for missing values and 0 for
/// others. Shapes: hashes[num_rows], is_missing[num_rows], in the memory of the current device, to which
/// `stream` must belong. Stream: asynchronous on `stream`. Throws DeviceError if the launch fails or the
/// build has no CUDA. Cost: O(bytes), one thread per value.
void hash_column(const DeviceColumn& column, std::size_t num_rows, std::uint64_t seed,
                 const MissingTexts& missing, std::uint64_t* hashes, std::uint8_t* is_missing,
                 CUstream_st* stream);

/// A column and the destinations of its hashes, as in hash_column().
struct DeviceHashes {
  DeviceColumn column;
  std::uint64_t* hashes = nullptr;
  std::uint8_t* is_missing = nullptr;
};

/// hash_column() for several columns of `num_rows` values each. Cost: one launch for up to 32 columns of the
/// same kind; launches are most of the cost of a batch of some ten thousand rows.
void hash_columns(std::span<const DeviceHashes> columns, std::size_t num_rows, std::uint64_t seed,
                  const MissingTexts& missing, CUstream_st* stream);

}  // namespace widehash
