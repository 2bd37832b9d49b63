#pragma once

#include <cstdint>

namespace widehash {

/// Columns [begin, end) of the matrix, which one owner of the first layer holds: all columns on a single
/// device, some of them if the layer is divided. Arrays "of a range" have row 0 at column `begin`.
struct ColumnRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  constexpr std::uint64_t size() const noexcept { return end - begin; }
  constexpr bool operator==(const ColumnRange&) const noexcept = default;
};

}  // namespace widehash
