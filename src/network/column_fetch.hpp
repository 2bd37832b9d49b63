#pragma once

/// \file
/// Asks for columns of the first layer some way ahead of the one at hand. Touched columns stand in no order
/// that a machine could guess, and all values of a layer with hidden units are more than its second cache
/// holds.

#include <widehash/internal/fetch_lines.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace widehash::detail {

class ColumnFetch {
 public:
  static constexpr std::size_t columns_ahead = 8;

  /// Of `units` values at each of `positions`, which must outlive this.
  ColumnFetch(std::span<const std::uint32_t> positions, std::size_t units) noexcept
      : positions_(positions), units_(units) {}

  /// When column number `i` of the positions is used: the values of a later one in `of`, unless that is null.
  /// Inlined by force, as what it calls.
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
