#pragma once

/// \file
/// The order of sums over ranks by definition, number by number. Every way of adding them is compared with it.

#include <bit>
#include <cstddef>
#include <span>
#include <vector>

namespace widehash {

/// The sum of the first 2^k numbers plus the sum of the rest, each added in the same way.
template <class Real>
Real sum_by_pairs(std::span<const Real> numbers) {
  if (numbers.size() == 1) return numbers[0];
  const std::size_t half = std::bit_floor(numbers.size() - 1);
  return sum_by_pairs(numbers.first(half)) + sum_by_pairs(numbers.subspan(half));
}

/// sums[i] is the sum over ranks r of numbers_of(r)[i].
template <class Real, class NumbersOfRank>
std::vector<Real> sums_by_pairs(std::size_t num_ranks, std::size_t count, const NumbersOfRank& numbers_of) {
  std::vector<std::vector<Real>> columns(count, std::vector<Real>(num_ranks));
  for (std::size_t r = 0; r < num_ranks; ++r) {
    const auto numbers = numbers_of(r);
    for (std::size_t i = 0; i < count; ++i) columns[i][r] = numbers[i];
  }
  std::vector<Real> sums;
  for (const auto& column : columns) sums.push_back(sum_by_pairs(std::span<const Real>(column)));
  return sums;
}

}  // namespace widehash
