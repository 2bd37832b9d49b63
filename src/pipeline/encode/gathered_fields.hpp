#pragma once

/// \file
/// Gathers fields of placed rows that are not adjacent, so that they can be read as if they were.

#include <widehash/internal/raw_vector.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace widehash {

/// Per-thread memory, reused for every tile.
class GatheredFields {
 public:
  /// Instead of a field: stands for an empty value.
  static constexpr std::size_t no_field = static_cast<std::size_t>(-1);

  /// Returns the values of `fields`, in this order, in the rows listed in `sources`. Valid until the next
  /// call. Cost: two cycles per value.
  PlacedFields gather(const PlacedRows& rows, std::span<const std::size_t> sources,
                      std::span<const std::size_t> fields);

 private:
  RawVector<std::uint32_t> before_;
  RawVector<std::uint32_t> ends_;
};

}  // namespace widehash
