#pragma once

/// \file
/// Fields of placed rows that do not stand side by side, brought together as if they did.

#include <widehash/internal/raw_vector.hpp>
#include <widehash/placed_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace widehash {

/// Memory of one thread, used again for every tile.
class GatheredFields {
 public:
  /// In place of a field: an empty value.
  static constexpr std::size_t no_field = static_cast<std::size_t>(-1);

  /// The values of `fields`, in this order, in the rows listed in `sources`. They hold until the next call.
  /// Cost: two cycles a value.
  PlacedFields gather(const PlacedRows& rows, std::span<const std::size_t> sources,
                      std::span<const std::size_t> fields);

 private:
  RawVector<std::uint32_t> before_;
  RawVector<std::uint32_t> ends_;
};

}  // namespace widehash
