#pragma once

/// \file
/// XXH64 of many short values at once, bit for bit equal to hash_xxh64(). The values of a table are mostly
/// shorter than 32 bytes, for which the hash is a short chain of multiplications: eight chains run side by
/// side in one vector. Longer values are hashed one by one, at the speed of the xxHash library.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace widehash {

/// Number of values that are hashed together. The hashes of a row begin at a multiple of it, so that the same
/// features always share a vector, and the branches on length, taken once per vector, stay predictable.
inline constexpr std::size_t hash_group = 8;

/// Returns `count` rounded up to a multiple of hash_group.
constexpr std::size_t whole_groups(std::size_t count) noexcept {
  return (count + hash_group - 1) / hash_group * hash_group;
}

/// Rows of values that are adjacent in memory: value j of row r is values[r * stride + j].
struct ValueRows {
  const std::string_view* values = nullptr;
  std::size_t stride = 0;
  std::size_t num_rows = 0;
  std::size_t values_per_row = 0;
};

/// Sets hashes[r * hash_stride + j] to the XXH64 of value j of row r. May overwrite the elements between
/// values_per_row and hash_stride. Requires hash_stride >= whole_groups(values_per_row) and hashes.size() >=
/// num_rows * hash_stride. Cost on a current CPU: 4 to 8 cycles per value shorter than 32 bytes.
void hash_xxh64(const ValueRows& rows, std::uint64_t seed, std::span<std::uint64_t> hashes,
                std::size_t hash_stride) noexcept;

}  // namespace widehash
