#pragma once

/// \file
/// Prefetches columns of the first layer. Touched columns are in no order that hardware could predict, and
/// all values of a layer with hidden units do not fit in the L2 cache.

#include <widehash/internal/fetch_lines.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace widehash::detail {

class ColumnFetch {
 public:
  static constexpr std::size_t columns_ahead = 8;

  /// For columns of `units` values at each of `positions`, which must outlive this object.
  ColumnFetch(std::span<const std::uint32_t> positions, std::size_t units) noexcept
      : positions_(positions), units_(units) {}

  /// To be called when column number `i` of the positions is used: prefetches the values of a later column in
  /// `of`, unless `of` is null. Forced inline, like the function it calls.
  template <class Real>
  [[gnu::always_inline]] void ahead_of(std::size_t i, const Real* of) const noexcept {
    if (of == nullptr || i + columns_ahead >= positions_.size()) return;
    fetch_lines<true>(of + positions_[i + columns_ahead] * units_, units_ * sizeof(Real));
  }

 private:
  std::span<const std::uint32_t> positions_;
  std::size_t units_;
};

}  // namespace widehash::detail
