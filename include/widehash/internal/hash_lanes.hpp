#pragma once

/// \file
/// Collects values from anywhere, to be hashed at once (hash_values.hpp).
///
///     HashLanes lanes;
///     lanes.reshape(num_rows, values_per_row);
///     lanes.set(lanes.at(row, j), value);      // for every row and j
///     lanes.hash_xxh64(seed);
///     lanes.hashes()[lanes.at(row, j)]

#include <widehash/hash_values.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace widehash {

class HashLanes {
 public:
  /// Lanes per group: values per row are rounded up to a multiple of it.
  static constexpr std::size_t group = hash_group;

  /// Makes room for rows of values, all of them empty. Memory: 24 bytes per lane, kept for reuse.
  void reshape(std::size_t num_rows, std::size_t values_per_row);

  std::size_t num_lanes() const noexcept { return values_.size(); }
  std::size_t stride() const noexcept { return stride_; }
  std::size_t at(std::size_t row, std::size_t value) const noexcept { return row * stride_ + value; }

  /// `value` must stay alive until it is hashed.
  void set(std::size_t at, std::string_view value) noexcept { values_[at] = value; }
  /// Makes every value that equals `text` empty, as a missing value is.
  void blank(std::string_view text) noexcept;
  bool is_empty(std::size_t at) const noexcept { return values_[at].empty(); }

  void hash_xxh64(std::uint64_t seed) noexcept;
  std::span<const std::uint64_t> hashes() const noexcept { return hashes_; }

 private:
  std::size_t stride_ = 0;
  std::vector<std::string_view> values_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace widehash
