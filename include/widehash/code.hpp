#pragma once

/// \file
/// The four-split code of a value, bit by bit. Everything here is arithmetic on the hash, without tables or
/// state, and is shared by CPU and GPU. The results never change within a major version.
///
///     h        = XXH64(bytes, seed)
///     split_k  = (h >> (48 - 16 k)) & 0xFFFF        k = 0..3, most significant first
///     m        = max(8, ceil(sqrt(N)))              N: the feature's cardinality
///     bucket_k = split_k mod m
///     column_k = k m + bucket_k                     within the feature's 4 m columns

#include <array>
#include <cstdint>
#include <string_view>

namespace widehash {

inline constexpr int num_splits = 4;
inline constexpr std::uint32_t min_split_width = 8;
/// The largest cardinality whose width fits a 16-bit split.
inline constexpr std::uint64_t max_cardinality_xxh64 = std::uint64_t{1} << 32;
/// The largest number of columns of a matrix. Columns fit a signed 32-bit index, so that every consumer of
/// CSR can hold them.
inline constexpr std::uint64_t max_columns = 0x7FFFFFFF;
/// The same for the 32-bit splits of XXH3-128, as far as its 4 m columns are no more than 2^31. A matrix has one column
/// less, so the largest cardinality that can be encoded is (2^29 - 1)^2.
inline constexpr std::uint64_t max_cardinality_xxh3_128 = std::uint64_t{1} << 58;

/// The buckets of a value, one per split.
using Buckets = std::array<std::uint32_t, num_splits>;

/// Returns m = max(8, ceil(sqrt(cardinality))), using an exact integer square root. Requires 1 <= cardinality
/// <= max_cardinality_xxh3_128.
std::uint32_t split_width(std::uint64_t cardinality) noexcept;

/// XXH64 of the value's bytes.
std::uint64_t hash_xxh64(std::string_view value, std::uint64_t seed = 0) noexcept;

/// XXH3-128 of the value's bytes, as two 64-bit halves.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};
Hash128 hash_xxh3_128(std::string_view value, std::uint64_t seed = 0) noexcept;

constexpr Buckets four_split(std::uint64_t hash, std::uint32_t width) noexcept {
  return {static_cast<std::uint32_t>((hash >> 48) & 0xFFFF) % width,
          static_cast<std::uint32_t>((hash >> 32) & 0xFFFF) % width,
          static_cast<std::uint32_t>((hash >> 16) & 0xFFFF) % width,
          static_cast<std::uint32_t>(hash & 0xFFFF) % width};
}

/// The same for the four 32-bit parts of a 128-bit hash, most significant first.
constexpr Buckets four_split(Hash128 hash, std::uint32_t width) noexcept {
  return {static_cast<std::uint32_t>(hash.high >> 32) % width,
          static_cast<std::uint32_t>(hash.high & 0xFFFFFFFF) % width,
          static_cast<std::uint32_t>(hash.low >> 32) % width,
          static_cast<std::uint32_t>(hash.low & 0xFFFFFFFF) % width};
}

/// One-hot by hash: h mod B. With XXH3-128, h is the low half.
constexpr std::uint32_t one_hot(std::uint64_t hash, std::uint32_t buckets) noexcept {
  return static_cast<std::uint32_t>(hash % buckets);
}

}  // namespace widehash
