#pragma once

/// \file
/// Computes four-split codes from hashes without a division. With s < 2^16, m <= 2^16 and i = floor(2^16 /
/// m), the estimate q = floor(s i / 2^16) of s / m is exact or one too small, because s (2^16 / m - i) / 2^16
/// < 1. So r = s - q m lies in [0, 2 m), and one conditional subtraction gives s mod m. In 16-bit lanes the
/// subtraction is min(r, r - m): if r < m, r - m wraps around to more than r. m = 2^16 is 0 in 16 bits and
/// gives the right result without special treatment.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace widehash {

class BucketReducer {
 public:
  /// `widths` holds the width m, 1..65536, of each feature whose hashes are adjacent in a row.
  explicit BucketReducer(std::span<const std::uint32_t> widths);

  std::size_t num_features() const noexcept { return num_features_; }

  /// codes[row * code_stride + 4 j + k] = split_k(hashes[row * hash_stride + j]) mod m_j.
  /// Requires: hash_stride >= num_features() rounded up to a multiple of 8.
  void reduce(const std::uint64_t* hashes, std::size_t hash_stride, std::size_t num_rows,
              std::uint16_t* codes, std::size_t code_stride) const noexcept;

  /// m of every slot, and floor(2^16 / m) but at most 65535, padded to whole groups of 32 slots. For code
  /// that reduces hashes where it computes them.
  std::span<const std::uint16_t> widths() const noexcept { return widths_; }
  std::span<const std::uint16_t> reciprocals() const noexcept { return reciprocals_; }

 private:
  std::size_t num_features_;
  std::vector<std::uint16_t> widths_;       // m of every slot; padded to whole vectors
  std::vector<std::uint16_t> reciprocals_;  // floor(2^16 / m), at most 65535
};

/// The same for one split, in 32 bits, where nothing wraps around. For devices, and for code that has a
/// single width.
class SplitRemainder {
 public:
  /// Requires 1 <= width <= 65536.
  explicit constexpr SplitRemainder(std::uint32_t width) noexcept
      : width_(width), reciprocal_(65536 / width) {}

  /// Requires split < 65536.
  constexpr std::uint32_t operator()(std::uint32_t split) const noexcept {
    const std::uint32_t rest = split - (split * reciprocal_ >> 16) * width_;
    return rest >= width_ ? rest - width_ : rest;
  }

 private:
  std::uint32_t width_;
  std::uint32_t reciprocal_;
};

/// hash mod B for one B, by the same estimate in 64 bits: q = floor(h floor(2^64 / B) / 2^64) is exact or one
/// too small.
class BucketRemainder {
 public:
  /// Requires buckets >= 1.
  explicit constexpr BucketRemainder(std::uint32_t buckets) noexcept
      : buckets_(buckets), reciprocal_(buckets == 1 ? 0 : static_cast<std::uint64_t>(two_to_64 / buckets)) {}

  constexpr std::uint32_t operator()(std::uint64_t hash) const noexcept {
    if (buckets_ == 1) return 0;
    const auto quotient = static_cast<std::uint64_t>((static_cast<Wide>(hash) * reciprocal_) >> 64);
    const std::uint64_t rest = hash - quotient * buckets_;
    return static_cast<std::uint32_t>(rest >= buckets_ ? rest - buckets_ : rest);
  }

 private:
  __extension__ typedef unsigned __int128 Wide;  // accepted by both compilers
  static constexpr Wide two_to_64 = static_cast<Wide>(1) << 64;

  std::uint64_t buckets_;
  std::uint64_t reciprocal_;
};

}  // namespace widehash
