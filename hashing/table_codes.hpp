#pragma once

/// \file
/// The codes of a table's values, from their hashes.

#include <widehash/code.hpp>
#include <widehash/internal/bucket_reducer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace widehash::detail {

class TableCodes {
 public:
  /// Hashes that of() takes at most.
  static constexpr std::size_t batch = 512;

  /// `is_wide`: hashes are of 128 bits.
  TableCodes(std::uint32_t width, bool is_wide);

  /// The code of each hash; holds until the next call. `low`, of as many halves as `high`, is looked at where
  /// hashes are wide.
  std::span<const Buckets> of(std::span<const std::uint64_t> high, std::span<const std::uint64_t> low);

 private:
  // Eight hashes at a time take the places of eight features of one width.
  static constexpr std::size_t group = 8;

  std::uint32_t width_;
  std::optional<BucketReducer> reducer_;  // of hashes that are not wide
  std::array<std::uint64_t, batch> hashes_{};
  std::array<std::uint16_t, batch * num_splits> buckets_{};
  std::array<Buckets, batch> codes_{};
};

}  // namespace widehash::detail
