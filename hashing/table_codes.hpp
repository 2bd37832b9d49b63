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
  /// The largest number of hashes per call of of().
  static constexpr std::size_t batch = 512;

  /// `is_wide`: hashes have 128 bits.
  TableCodes(std::uint32_t width, bool is_wide);

  /// Returns the code of each hash, valid until the next call. `low` has as many halves as `high` and is read
  /// only if hashes are wide.
  std::span<const Buckets> of(std::span<const std::uint64_t> high, std::span<const std::uint64_t> low);

 private:
  // Eight hashes at a time are passed as eight features of the same width.
  static constexpr std::size_t group = 8;

  std::uint32_t width_;
  std::optional<BucketReducer> reducer_;  // for hashes that are not wide
  std::array<std::uint64_t, batch> hashes_{};
  std::array<std::uint16_t, batch * num_splits> buckets_{};
  std::array<Buckets, batch> codes_{};
};

}  // namespace widehash::detail
