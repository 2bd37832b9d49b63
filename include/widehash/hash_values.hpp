#pragma once

/// \file
/// XXH64 of many short values at once, bit for bit that of hash_xxh64(). A table's values are mostly shorter
/// than 32 bytes, where the hash is a short chain of multiplications: eight chains run side by side in one
/// vector. Longer values are hashed one by one, at the library's own speed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace widehash {

/// Values of a group that are hashed together: hashes of a row begin at multiples of it, so that the same
/// features always share a vector and the branches on length, taken once a vector, stay predictable.
inline constexpr std::size_t hash_group = 8;

/// `count` rounded up to whole groups.
constexpr std::size_t whole_groups(std::size_t count) noexcept {
  return (count + hash_group - 1) / hash_group * hash_group;
}

/// Rows of values that stand side by side in memory: value j of row r is values[r * stride + j].
struct ValueRows {
  const std::string_view* values = nullptr;
  std::size_t stride = 0;
  std::size_t num_rows = 0;
  std::size_t values_per_row = 0;
};

/// hashes[r * hash_stride + j] = XXH64 of value j of row r. What stands between values_per_row and
/// hash_stride may be overwritten. Requires hash_stride >= whole_groups(values_per_row) and hashes.size() >=
/// num_rows * hash_stride. Cost on a current CPU: 4 to 8 cycles a value shorter than 32 bytes.
void hash_xxh64(const ValueRows& rows, std::uint64_t seed, std::span<std::uint64_t> hashes,
                std::size_t hash_stride) noexcept;

}  // namespace widehash
