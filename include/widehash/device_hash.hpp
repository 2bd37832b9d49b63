#pragma once

/// \file
/// Hashing of values that lie in the memory of a CUDA device, bit for bit that of hash_xxh64(): for jobs
/// whose tables are there already. A column is as Arrow and its like hold it:
///
///     text        bytes  "redgreenblue"   offsets [0, 3, 8, 12]      value i is bytes[offsets[i] .. offsets[i + 1])
///     fixed_text  bytes  "aabbcc"         value_bytes 2              value i is bytes[2 i .. 2 i + 2)
///     int32 ...   numbers                 hashed as their canonical text, "-7", which is never written anywhere
///
/// docs/gpu.md, "Hashing on the device".

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

struct CUstream_st;  // what a cudaStream_t points to

namespace widehash {

enum class DeviceValues : std::uint8_t { text, fixed_text, int32, uint32, int64, uint64 };

/// A column in device memory that somebody else owns. Trivially copyable.
struct DeviceColumn {
  DeviceValues kind = DeviceValues::text;
  /// The bytes of the texts, at any address; or the numbers, aligned as numbers are.
  const void* values = nullptr;
  /// text and fixed_text: how many bytes there are; nothing outside them is read.
  std::uint64_t num_bytes = 0;
  /// text: num_rows + 1 positions. Requires: ascending, the last at most num_bytes.
  const std::uint64_t* offsets = nullptr;
  /// fixed_text
  std::uint32_t value_bytes = 0;
  /// Bit i % 8 of byte i / 8 says that value i is there; null: all are.
  const std::uint8_t* valid = nullptr;
};

/// Texts that mean a missing value, beside the empty one: up to 4 of up to 16 bytes.
struct MissingTexts {
  static constexpr std::size_t max_texts = 4;
  static constexpr std::size_t max_bytes = 16;

  MissingTexts() = default;
  /// Throws ConfigError for more of them or longer ones.
  explicit MissingTexts(std::span<const std::string> texts);

  std::uint32_t count = 0;
  std::uint32_t lengths[max_texts] = {};
  std::uint64_t words[max_texts][2] = {};  // low byte first, the rest 0
};

/// hashes[i] = XXH64 of value i of the column, of the empty text where it is missing: not valid, empty, or
/// one of `missing`. is_missing[i], where wanted (it may be null), is 1 for those and 0 for the others.
/// Shapes: hashes[num_rows], is_missing[num_rows], in memory of the current device, to which `stream` belongs.
/// Stream: asynchronous on `stream`. Throws DeviceError where the launch is refused or the build has no CUDA.
/// Cost: O(bytes), a thread a value.
void hash_column(const DeviceColumn& column, std::size_t num_rows, std::uint64_t seed,
                 const MissingTexts& missing, std::uint64_t* hashes, std::uint8_t* is_missing,
                 CUstream_st* stream);

/// A column, and where its hashes go, as of hash_column().
struct DeviceHashes {
  DeviceColumn column;
  std::uint64_t* hashes = nullptr;
  std::uint8_t* is_missing = nullptr;
};

/// hash_column() of several columns of `num_rows` values. Cost: a launch for up to 32 of a kind together,
/// which is most of the cost of a batch of some ten thousand rows.
void hash_columns(std::span<const DeviceHashes> columns, std::size_t num_rows, std::uint64_t seed,
                  const MissingTexts& missing, CUstream_st* stream);

}  // namespace widehash
